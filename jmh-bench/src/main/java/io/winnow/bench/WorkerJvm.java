package io.winnow.bench;

import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.contest.Contender;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A contender of a benchmark in a JVM of its own, so that the code of the others does not change
 * how its own is compiled. The JVM runs a {@link Worker}: a line of input requests a turn, a line
 * of output has the figures of the turn. Closing its input ends it.
 */
final class WorkerJvm implements Contender, Closeable {
  /** Option that opens the packages which HBase's start script opens and store files need. */
  static final String OPEN_NIO = "--add-opens=java.base/java.nio=ALL-UNNAMED";

  static final String OPEN_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  private static final String LOG =
      "-Dlog4j2.configurationFile=classpath:io/winnow/hbase/standalone/client-log4j2.properties";

  private static final int SECONDS_TO_END = 20;

  private final String id;
  private final Process process;
  private final PrintStream requests;
  private final BufferedReader answers;

  /** The program in the JVM of a contender, whose constructor takes words. */
  interface Worker extends Closeable {
    /**
     * Takes a turn. Returns its figures.
     *
     * @param request the numbers of the request
     */
    double[] turn(double... request) throws Exception;
  }

  /**
   * Starts a JVM for one contender of a benchmark, with a collector and a heap of a constant size:
   * {@link #awaitReady} waits until its worker is made.
   *
   * @param arguments the arguments of the worker's constructor
   */
  WorkerJvm(
      String id, String heap, String classPath, Class<? extends Worker> worker, Object... arguments)
      throws IOException {
    this.id = id;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms" + heap, "-Xmx" + heap, "-XX:+UseParallelGC"));
    command.addAll(List.of(OPEN_NIO, OPEN_LANG, LOG));
    for (String name : List.of("java.io.tmpdir", "winnow.home")) { // of the launcher
      command.add("-D" + name + "=" + System.getProperty(name, ""));
    }
    command.addAll(List.of("-cp", classPath, WorkerJvm.class.getName(), worker.getName()));
    Stream.of(arguments).map(String::valueOf).forEach(command::add);
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Returns the class path of this JVM. */
  static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  @Override
  public String id() {
    return id;
  }

  /**
   * Waits until the workers of some JVMs can take turns; must be called once, before the first
   * turn.
   *
   * @param seconds expected time until one more worker is ready
   * @param what the case in lines of progress
   */
  static void awaitReady(List<WorkerJvm> jvms, Run run, double seconds, String what)
      throws IOException {
    for (WorkerJvm jvm : jvms) {
      jvm.answer();
      run.step(seconds, what, "%s is ready", jvm.id);
    }
  }

  /** Lets the worker take a turn. Returns its figures. */
  double[] turn(double... request) throws IOException {
    requests.println(line(request));
    return numbers(answer());
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the worker JVM has ended without an answer; its own lines say why");
    }
    return line;
  }

  private static String line(double... numbers) {
    return Arrays.stream(numbers).mapToObj(String::valueOf).collect(Collectors.joining(" "));
  }

  private static double[] numbers(String line) {
    return Stream.of(line.split(" "))
        .filter(word -> !word.isEmpty())
        .mapToDouble(Double::parseDouble)
        .toArray();
  }

  /**
   * Lets a worker take the turns that this JVM's input requests, and ends the JVM.
   *
   * @param arguments the worker's class, and the arguments of its constructor
   */
  public static void main(String[] arguments) {
    QuietEnd.install();
    PrintStream out = System.out;
    System.setOut(System.err); // standard output has answers only
    Object of = Arrays.copyOfRange(arguments, 1, arguments.length);
    int code = 0;
    try (Worker worker =
        (Worker)
            Class.forName(arguments[0]).getDeclaredConstructor(String[].class).newInstance(of)) {
      out.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(line(worker.turn(numbers(line))));
      }
    } catch (Throwable e) {
      e.printStackTrace();
      code = 1;
    }
    System.exit(code); // HBase leaves threads behind
  }

  @Override
  public void close() {
    requests.close();
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}

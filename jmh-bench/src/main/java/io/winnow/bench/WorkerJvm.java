package io.winnow.bench;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that runs a program for one contender of a benchmark, with the class path of this JVM. It
 * answers each line of input with one line of output. Closing its input ends it.
 */
public final class WorkerJvm implements Closeable {
  /** Option that opens the packages which HBase's start script opens and store files need. */
  static final String OPEN_NIO = "--add-opens=java.base/java.nio=ALL-UNNAMED";

  static final String OPEN_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  private static final int SECONDS_TO_END = 20;

  private final Process process;
  private final PrintStream requests;
  private final BufferedReader answers;

  /**
   * Starts a JVM for one contender of a benchmark. Its first line, which says that it is ready,
   * must be read with {@link #answer}.
   */
  public WorkerJvm(List<String> options, Class<?> program, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    String log = "log4j2.configurationFile";
    if (System.getProperty(log) != null) {
      command.add("-D" + log + "=" + System.getProperty(log));
    }
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    command.addAll(List.of("-cp", classPath, program.getName()));
    command.addAll(arguments);
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  public void request(String line) {
    requests.println(line);
  }

  public String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the worker JVM has ended without an answer; its own lines say why");
    }
    return line;
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

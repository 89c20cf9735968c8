package io.winnow.hbase.standalone;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a server's JVM: the class path of this JVM, the flags that HBase needs, and a
 * log file of its own.
 */
final class ServerJvm {

  /**
   * JVM options that open the packages that {@code bin/hbase} opens. Without them off-heap reads
   * are slow.
   */
  private static final List<String> JVM_FLAGS =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
          "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true");

  private static final int TAIL_LINES = 25;
  private static final int TAIL_BYTES = 16 * 1024;

  private final String mainClass;
  private final Path conf;
  private final Path log;
  private final List<String> options = new ArrayList<>();

  /** The jar of the Winnow agent; null for a stock server. */
  Path agent;

  /**
   * The jar with the files of HBase's web pages, which HBase's own does not have; null for none.
   */
  Path pages;

  /** The home of the Java that runs the server. */
  Path javaHome = Path.of(System.getProperty("java.home"));

  private ServerJvm(String mainClass, Path conf, Path log) {
    this.mainClass = mainClass;
    this.conf = conf;
    this.log = log;
  }

  /**
   * Returns the command line that starts a server in a JVM of its own.
   *
   * @param conf directory of settings, first on the server's class path
   * @param log the server's log file
   */
  static ServerJvm of(String mainClass, Path conf, Path log) {
    return new ServerJvm(mainClass, conf, log);
  }

  /** Returns the jar of the Winnow agent that the launcher names; null for none. */
  static Path launchersAgent() {
    String agent = System.getProperty("winnow.agent.jar");
    return agent == null ? null : Path.of(agent);
  }

  /** Sets the jar of the Winnow agent for the server; {@code null} makes a stock server. */
  ServerJvm agent(Path jar) {
    agent = jar;
    return jar == null ? this : option("-javaagent:" + jar.toAbsolutePath());
  }

  ServerJvm heap(String size) {
    return option("-Xmx" + size);
  }

  ServerJvm option(String option) {
    options.add(option);
    return this;
  }

  List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    // A Ctrl-C in the terminal reaches the whole process group: the server must not be ended by
    // it, but by this JVM, in an orderly way.
    command.addAll(List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "hbase"));
    command.add(javaHome.resolve("bin").resolve("java").toString());
    command.addAll(JVM_FLAGS);
    // The launcher's TMPDIR.
    command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
    command.addAll(options);
    command.add("-Dwinnow.log.file=" + log);
    command.add(
        "-Dlog4j2.configurationFile=classpath:io/winnow/hbase/standalone/server-log4j2.properties");
    command.add("-cp");
    command.add(
        conf
            // Before the agent on this JVM's class path, which may be of another version.
            + (agent == null ? "" : File.pathSeparator + agent.toAbsolutePath())
            + File.pathSeparator
            + System.getProperty("java.class.path")
            + (pages == null ? "" : File.pathSeparator + pages));
    command.add(mainClass);
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Returns the last lines that a server wrote into its log files, for the message about its
   * failure.
   */
  static String tail(List<Path> files) {
    StringBuilder text = new StringBuilder();
    for (Path file : files) {
      List<String> lines = lastLines(file);
      if (!lines.isEmpty()) {
        text.append("-- the end of ").append(file).append('\n');
        lines.forEach(line -> text.append(line).append('\n'));
      }
    }
    return text.toString();
  }

  private static List<String> lastLines(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(Math.max(0, in.length() - TAIL_BYTES));
      byte[] bytes = new byte[(int) (in.length() - in.getFilePointer())];
      in.readFully(bytes);
      // Frames of stack traces would crowd out the messages.
      List<String> lines =
          new String(bytes, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("\tat ") && !line.startsWith("\t... "))
              .toList();
      return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    } catch (IOException e) {
      return List.of();
    }
  }
}

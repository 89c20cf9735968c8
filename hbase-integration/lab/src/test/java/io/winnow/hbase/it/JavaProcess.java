package io.winnow.hbase.it;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM of its own that is started, and ends. */
final class JavaProcess {
  /** What a test starts is over before a better compiler pays. */
  static final String QUICK = "-XX:TieredStopAtLevel=1";

  /** Its heap is small, and other JVMs need the cores. */
  static final String SMALL = "-XX:+UseSerialGC";

  private static final int PATIENCE_SECONDS = 1800;

  /** For JVMs that the process starts: each says so in its first line of errors. */
  static final Map<String, String> QUICK_CHILDREN = Map.of("JDK_JAVA_OPTIONS", QUICK);

  private final List<String> command = new ArrayList<>();
  private Map<String, String> environment = Map.of();

  private JavaProcess() {
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(QUICK);
    command.add(SMALL);
  }

  /** With options of the JVM's own, in the order in which it is to see them. */
  static JavaProcess with(String... options) {
    JavaProcess java = new JavaProcess();
    java.command.addAll(List.of(options));
    return java;
  }

  /** What it starts in turn is over before a better compiler pays, too. */
  JavaProcess andItsChildren() {
    environment = QUICK_CHILDREN;
    return this;
  }

  static JavaProcess withAgent(String classPath) {
    return with("-javaagent:" + TestServer.agentJar(), "-cp", classPath);
  }

  /** The class path of these tests: HBase, and what is needed to log. */
  static String classPath() {
    return System.getProperty("java.class.path");
  }

  static String classPath(Path first) {
    return first + File.pathSeparator + classPath();
  }

  /** What came of it. */
  record Result(int exitCode, String output, String errors) {}

  Result run(String... mainClassAndArguments) throws IOException, InterruptedException {
    command.addAll(List.of(mainClassAndArguments));
    Path directory = Files.createDirectories(Path.of(System.getProperty("winnow.it.directory")));
    Path output = Files.createTempFile(directory, "java", ".out");
    Path errors = Files.createTempFile(directory, "java", ".err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            "still runs after " + PATIENCE_SECONDS + " s: " + List.of(mainClassAndArguments));
      }
      return new Result(
          process.exitValue(),
          Files.readString(output, StandardCharsets.UTF_8),
          Files.readString(errors, StandardCharsets.UTF_8));
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(output);
      Files.deleteIfExists(errors);
    }
  }
}

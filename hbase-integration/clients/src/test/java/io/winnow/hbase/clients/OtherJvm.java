package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.Families;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A program in a JVM of its own, without the agent, beside the HBase of the tests. */
final class OtherJvm {
  private OtherJvm() {}

  /**
   * Runs a program, which must end with exit code 0.
   *
   * @param directory its working directory
   * @param withWinnow true if {@code winnow-hbase.jar} is on its class path
   * @return the file with all that it printed
   */
  static Path run(Path directory, boolean withWinnow, String program, String... args)
      throws Exception {
    // The tests have no other class of Winnow than the agent's.
    Path jar = Path.of(Families.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Stream<String> libraries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(element -> !element.endsWith(jar.getFileName().toString()));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(System.getProperty("winnow.jvm.flags").split(" ")));
    for (String property : List.of("winnow.it.directory", "winnow.zookeeper.port")) {
      command.add("-D" + property + "=" + System.getProperty(property));
    }
    command.add("-cp");
    command.add(
        Stream.concat(withWinnow ? Stream.of(jar.toString()) : Stream.empty(), libraries)
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(program);
    command.addAll(List.of(args));
    Path log = Files.createDirectories(directory).resolve("log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .directory(directory.toFile())
            .start();
    try {
      assertTrue(process.waitFor(20, TimeUnit.MINUTES));
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), () -> "see " + log);
    return log;
  }
}

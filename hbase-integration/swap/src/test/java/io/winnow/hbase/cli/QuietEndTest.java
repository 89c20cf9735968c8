package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuietEndTest {
  private static final Path HOME = Path.of("..", "..");

  /** Of other modules: JVMs that a command starts, and whose words reach its user. */
  private static final List<String> WORKERS = List.of("io.winnow.bench.WorkerJvm");

  @TempDir Path directory;

  /** Complains for ever, and once more when it ends. */
  public static final class Complainer {
    private Complainer() {}

    public static void main(String[] args) throws Exception {
      QuietEnd.install();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    System.err.println("after the end");
                    System.out.println("after the end, too");
                    new Throwable().printStackTrace();
                  }));
      System.err.println("coming");
      System.out.println("up");
      TimeUnit.MINUTES.sleep(5);
    }
  }

  @Test
  void nothingIsSaidAfterASignal() throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Complainer.class.getName()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      for (int i = 0; i < 12_000 && !Files.readString(output).contains("up"); i++) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      process.destroy();
      assertTrue(process.waitFor(10, TimeUnit.MINUTES));
      assertEquals("coming\nup\n", Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }

  /** The classes that the launcher starts. */
  private static Set<String> programs() throws IOException {
    Set<String> programs = new TreeSet<>(WORKERS);
    Matcher name =
        Pattern.compile("\\b(io\\.winnow\\.[a-z.]+\\.[A-Z]\\w+)")
            .matcher(Files.readString(HOME.resolve("winnow")));
    while (name.find()) {
      programs.add(name.group(1));
    }
    if (programs.remove(
        "io.winnow.hbase.tools.Winnow")) { // only looks at the Java, and calls these
      programs.add("io.winnow.hbase.tools.Tools");
    }
    return programs;
  }

  private static String source(String program) throws IOException {
    for (String module :
        List.of("hbase-integration/swap", "hbase-integration/lab", "jmh-bench", "ycsb-profiles")) {
      Path file =
          HOME.resolve(module)
              .resolve("src/main/java")
              .resolve(program.replace('.', '/') + ".java");
      if (Files.exists(file)) {
        return Files.readString(file);
      }
    }
    throw new AssertionError("no source of " + program);
  }

  /** At any moment: so it is the first thing that each of them does. */
  @Test
  void everyCommandEndsQuietly() throws IOException {
    Set<String> programs = programs();
    assertTrue(programs.size() >= 9 + WORKERS.size(), programs::toString);
    Pattern first =
        Pattern.compile(
            "public static void main\\([^)]*\\)[^{]*\\{\\s*"
                + "(QuietEnd\\.install\\(\\);|main\\((\\w+::new|\\(\\) -> new .*), \\w+\\);)");
    Set<String> loud = new TreeSet<>();
    for (String program : programs) {
      if (!first.matcher(source(program)).find()) {
        loud.add(program);
      }
    }
    assertEquals(Set.of(), loud);
  }
}

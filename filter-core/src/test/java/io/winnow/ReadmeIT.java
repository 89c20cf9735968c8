package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A project of its own that takes {@code filter-core} as the README says: its dependency is the
 * README's XML, its code the README's Java. Maven builds it, and finds Winnow in a local repository
 * that is made here and holds nothing but what is built now. Plugins and the libraries that
 * filter-core needs come from where this build has them, so that nothing is downloaded twice, and a
 * build with {@code -o} does not download at all.
 */
class ReadmeIT {
  private static final String VERSION = System.getProperty("winnow.version");
  private static final String JAR = System.getProperty("winnow.jar") + ".jar";
  private static final Path DIRECTORY =
      Path.of(System.getProperty("winnow.it.directory"), "readme").toAbsolutePath();
  private static final Path CLASSES = DIRECTORY.resolve("project/target/classes");
  private static final Path LIBRARIES = DIRECTORY.resolve("project/target/libraries");

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>readme</groupId>
        <artifactId>readme</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>17</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencies>
      %s
        </dependencies>
        <build>
          <plugins>
            <plugin>
              <artifactId>maven-resources-plugin</artifactId>
              <version>%s</version>
            </plugin>
            <plugin>
              <artifactId>maven-compiler-plugin</artifactId>
              <version>%s</version>
            </plugin>
            <plugin>
              <artifactId>maven-dependency-plugin</artifactId>
              <version>%s</version>
              <executions>
                <execution>
                  <phase>compile</phase>
                  <goals>
                    <goal>copy-dependencies</goal>
                  </goals>
                  <configuration>
                    <includeScope>runtime</includeScope>
                    <outputDirectory>${project.build.directory}/libraries</outputDirectory>
                  </configuration>
                </execution>
              </executions>
            </plugin>
          </plugins>
        </build>
      </project>
      """;

  /** Keys and questions for the page's code, whose last boolean is its answer. */
  private static final String PROGRAM =
      """
      import io.winnow.*;
      import io.winnow.hash.*;
      import io.winnow.ribbon.*;
      import java.nio.*;
      import java.util.*;

      public class Program {
        public static void main(String[] arguments) throws Exception {
          List<byte[]> keys = new ArrayList<>();
          for (int i = 0; i < 1_000; i++) {
            keys.add(("row-" + i).getBytes("UTF-8"));
          }
          int found = 0;
          for (int i = 0; i < 1_000; i += 10) {
            found += example(keys, keys.get(i)) ? 1 : 0;
          }
          int wrong = 0;
          for (int i = 0; i < 1_000; i++) {
            wrong += example(keys, ("no row-" + i).getBytes("UTF-8")) ? 1 : 0;
          }
          System.out.print(found + " " + wrong);
        }

        private static boolean example(List<byte[]> keys, byte[] wanted) throws Exception {
      %s
          return %s;
        }
      }
      """;

  @BeforeAll
  static void buildTheProject() throws Exception {
    Path repository = DIRECTORY.resolve("repository");
    delete(DIRECTORY.resolve("project"));
    delete(repository.resolve("io/winnow")); // what else is there was downloaded
    put(Path.of("..", "pom.xml"), repository, "winnow-parent", "pom");
    put(Path.of("pom.xml"), repository, "filter-core", "pom");
    put(Path.of(JAR), repository, "filter-core", "jar");

    String code = readmeBlock("java");
    Path sources = Files.createDirectories(DIRECTORY.resolve("project/src/main/java"));
    Files.writeString(sources.resolve("Program.java"), PROGRAM.formatted(code, lastBoolean(code)));
    Path pom = DIRECTORY.resolve("project/pom.xml");
    Files.writeString(
        pom,
        POM.formatted(
            readmeBlock("xml"),
            pluginVersion("resources"),
            pluginVersion("compiler"),
            pluginVersion("dependency")));

    List<String> maven = new ArrayList<>();
    maven.add(Path.of(System.getProperty("winnow.maven.home"), "bin", "mvn").toString());
    maven.addAll(List.of("-B", "-e", "-ntp", "-f", pom.toString()));
    if (System.getProperty("winnow.maven.offline").equals("offline=true")) {
      maven.add("-o");
    }
    Path settings = Path.of(System.getProperty("winnow.maven.settings"));
    if (Files.exists(settings)) {
      maven.addAll(List.of("-s", settings.toString()));
    }
    maven.add("-Dmaven.repo.local=" + repository);
    maven.add("-Dmaven.repo.local.tail=" + System.getProperty("winnow.maven.repository"));
    maven.add("compile");
    run(maven);
  }

  /** Present keys are found; of the absent ones at most a hundredth and five sigmas (16) are. */
  private static void assertAnswers(String output) {
    String[] counts = output.split(" ");
    assertEquals(100, Integer.parseInt(counts[0]), "present keys found");
    int wrong = Integer.parseInt(counts[1]);
    assertTrue(wrong <= 26, () -> wrong + " of 1,000 absent keys found, at 1 %");
  }

  @Test
  void theReadmesProgramFindsItsKeys() throws Exception {
    assertAnswers(run(java("-cp", CLASSES + ":" + LIBRARIES + "/*", "Program")));
  }

  @Test
  void itRunsWithWinnowAsAModule() throws Exception {
    // An automatic module cannot say which modules it needs.
    List<String> command = java("-p", LIBRARIES.toString(), "--add-modules", "ALL-MODULE-PATH");
    command.addAll(List.of("-cp", CLASSES.toString(), "Program"));
    assertAnswers(run(command));
  }

  @Test
  void theProjectHasTheJarOfThisBuild() throws IOException {
    Path taken = LIBRARIES.resolve("filter-core-" + VERSION + ".jar");
    assertEquals(-1, Files.mismatch(Path.of(JAR), taken));
  }

  private static void put(Path file, Path repository, String artifact, String type)
      throws IOException {
    Path directory = repository.resolve("io/winnow").resolve(artifact).resolve(VERSION);
    Files.createDirectories(directory);
    Files.copy(file, directory.resolve(artifact + "-" + VERSION + "." + type));
  }

  /** The one block of this language below "Use the library". */
  private static String readmeBlock(String language) throws IOException {
    String readme = Files.readString(Path.of("..", "docs", "library.md"));
    String section = group("(?s)\n## Use the library\n(.*?)\n## ", readme);
    return group("(?s)\n```" + language + "\n(.*?)\n```\n", section);
  }

  private static String lastBoolean(String code) {
    return group("(?s).*\\bboolean (\\w+) =", code);
  }

  /** The parent's, which this build has most likely downloaded. */
  private static String pluginVersion(String name) throws IOException {
    String parent = Files.readString(Path.of("..", "pom.xml"));
    return group("<artifactId>maven-" + name + "-plugin</artifactId>\\s*<version>([^<]*)<", parent);
  }

  private static String group(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertTrue(matcher.find(), () -> "no " + regex + " in:\n" + text);
    return matcher.group(1);
  }

  private static List<String> java(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  /** What the command prints. It must end by itself, and well. */
  private static String run(List<String> command) throws Exception {
    Path output = Files.createTempFile(DIRECTORY.resolve("project"), "output", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.redirectOutput(output.toFile()).start();
    boolean ended = process.waitFor(10, TimeUnit.MINUTES); // a download may be slow
    process.destroyForcibly();
    if (!ended || process.exitValue() != 0) {
      fail(String.join(" ", command) + "\n" + Files.readString(output));
    }
    return Files.readString(output);
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (var paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}

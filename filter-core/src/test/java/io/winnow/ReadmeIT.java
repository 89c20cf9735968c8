package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A project of its own that takes {@code filter-core} as docs/library.md says: its dependency is
 * the page's XML, its programs the page's Java. Maven finds Winnow in a local repository that is
 * made here and holds nothing but what is built now.
 */
class ReadmeIT {
  private static final String VERSION = System.getProperty("winnow.version");
  private static final String JAR = System.getProperty("winnow.jar") + ".jar";

  private static OutsideProject project;

  @TempDir Path directory;

  /** Keys and queries for the page's programs, whose last boolean is the answer of each. */
  private static final String PROGRAM =
      """
      import io.winnow.*;
      import io.winnow.cascade.*;
      import io.winnow.flash.bufferhash.*;
      import io.winnow.image.*;
      import io.winnow.quotient.*;
      import io.winnow.ribbon.*;
      import java.io.*;
      import java.nio.file.*;
      import java.util.*;

      public class Program {
        public static void main(String[] arguments) throws Exception {
          List<byte[]> keys = new ArrayList<>();
          for (int i = 0; i < 1_000; i++) {
            keys.add(("row-" + i).getBytes("UTF-8"));
          }
          byte[] mistake = "no row".getBytes("UTF-8");
          Path directory = Files.createTempDirectory(Path.of(System.getProperty("place")), "example");
          for (int example = 0; example < %d; example++) {
            int queries = example < 3 ? 100 : 4;
            int found = 0;
            int wrong = 0;
            for (int i = 0; i < queries; i++) {
              Path place = directory.resolve(example + "-" + i);
              found += example(example, keys, keys.get(i), mistake, place) ? 1 : 0;
              byte[] absent = ("no row-" + i).getBytes("UTF-8");
              wrong += example(example, keys, absent, mistake, place) ? 1 : 0;
            }
            System.out.println(queries + " " + found + " " + wrong);
          }
        }

        static boolean example(int example, List<byte[]> keys, byte[] wanted, byte[] mistake, Path file)
            throws Exception {
          Path directory = file;
          PipedOutputStream out = new PipedOutputStream();
          InputStream in = new PipedInputStream(out, 1 << 20);
          switch (example) {
      %s
          }
          throw new AssertionError();
        }
      }
      """;

  @BeforeAll
  static void buildTheProject() throws Exception {
    project =
        new OutsideProject(
            Path.of(".."), Path.of(System.getProperty("winnow.it.directory"), "readme"));
    put(Path.of("..", "pom.xml"), "winnow-parent", "pom");
    put(Path.of("pom.xml"), "filter-core", "pom");
    put(Path.of(JAR), "filter-core", "jar");
    List<String> programs = blocks("java");
    StringBuilder cases = new StringBuilder();
    for (int i = 0; i < programs.size(); i++) {
      String answered =
          programs.get(i).replaceFirst("boolean (\\w+) = [^;]*;", "$0 if (true) return $1;");
      cases.append("case " + i + ": {\n" + answered + "\n}\n");
    }
    project.compile(
        "<dependencies>\n" + blocks("xml").get(0) + "\n</dependencies>",
        PROGRAM.formatted(programs.size(), cases));
  }

  /** Each program finds its keys; of 100 absent ones at most 5 sigmas more than 1 % are found. */
  private static void assertAnswers(String output) {
    List<String> lines = output.lines().toList();
    assertEquals(5, lines.size(), output);
    for (String line : lines) {
      String[] counts = line.split(" ");
      assertEquals(counts[0], counts[1], () -> "present keys found: " + output);
      assertTrue(Integer.parseInt(counts[2]) <= 6, () -> "absent keys found: " + output);
    }
  }

  @Test
  void thePagesProgramsFindTheirKeys() throws Exception {
    String classPath = project.classes() + ":" + project.libraries() + "/*";
    assertAnswers(project.runProgram(place(), "-cp", classPath));
  }

  @Test
  void itRunsWithWinnowAsAModule() throws Exception {
    // An automatic module cannot say which modules it needs.
    String modules = project.libraries().toString();
    String classes = project.classes().toString();
    assertAnswers(
        project.runProgram(
            place(), "-p", modules, "--add-modules", "ALL-MODULE-PATH", "-cp", classes));
  }

  @Test
  void theProjectHasTheJarOfThisBuild() throws IOException {
    Path taken = project.libraries().resolve("filter-core-" + VERSION + ".jar");
    assertEquals(-1, Files.mismatch(Path.of(JAR), taken));
  }

  private String place() {
    return "-Dplace=" + directory;
  }

  private static void put(Path file, String artifact, String type) throws IOException {
    Path directory = project.repository().resolve("io/winnow").resolve(artifact).resolve(VERSION);
    Files.createDirectories(directory);
    Files.copy(file, directory.resolve(artifact + "-" + VERSION + "." + type));
  }

  /** The blocks of this language below "Use the library". */
  private static List<String> blocks(String language) throws IOException {
    String page = Files.readString(Path.of("..", "docs", "library.md"));
    String section = group("(?s)\n## Use the library\n(.*?)(?:\n## |\\z)", page);
    return Pattern.compile("(?s)\n```" + language + "\n(.*?)\n```\n")
        .matcher(section)
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private static String group(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertTrue(matcher.find(), () -> "no " + regex + " in:\n" + text);
    return matcher.group(1);
  }
}

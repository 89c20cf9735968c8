package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A project of its own that takes {@code filter-core} as the README says: its dependency is the
 * README's XML, its code the README's Java. Maven finds Winnow in a local repository that is made
 * here and holds nothing but what is built now.
 */
class ReadmeIT {
  private static final String VERSION = System.getProperty("winnow.version");
  private static final String JAR = System.getProperty("winnow.jar") + ".jar";

  private static OutsideProject project;

  /** Keys and questions for the page's code, whose last boolean is its answer. */
  private static final String PROGRAM =
      """
      import io.winnow.*;
      import io.winnow.image.*;
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
    project =
        new OutsideProject(
            Path.of(".."), Path.of(System.getProperty("winnow.it.directory"), "readme"));
    put(Path.of("..", "pom.xml"), "winnow-parent", "pom");
    put(Path.of("pom.xml"), "filter-core", "pom");
    put(Path.of(JAR), "filter-core", "jar");
    String code = readmeBlock("java");
    project.compile(
        "<dependencies>\n" + readmeBlock("xml") + "\n</dependencies>",
        PROGRAM.formatted(code, lastBoolean(code)));
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
    String classPath = project.classes() + ":" + project.libraries() + "/*";
    assertAnswers(project.runProgram("-cp", classPath));
  }

  @Test
  void itRunsWithWinnowAsAModule() throws Exception {
    // An automatic module cannot say which modules it needs.
    String modules = project.libraries().toString();
    String classes = project.classes().toString();
    assertAnswers(
        project.runProgram("-p", modules, "--add-modules", "ALL-MODULE-PATH", "-cp", classes));
  }

  @Test
  void theProjectHasTheJarOfThisBuild() throws IOException {
    Path taken = project.libraries().resolve("filter-core-" + VERSION + ".jar");
    assertEquals(-1, Files.mismatch(Path.of(JAR), taken));
  }

  private static void put(Path file, String artifact, String type) throws IOException {
    Path directory = project.repository().resolve("io/winnow").resolve(artifact).resolve(VERSION);
    Files.createDirectories(directory);
    Files.copy(file, directory.resolve(artifact + "-" + VERSION + "." + type));
  }

  /** The one block of this language below "Use the library". */
  private static String readmeBlock(String language) throws IOException {
    String readme = Files.readString(Path.of("..", "docs", "library.md"));
    String section = group("(?s)\n## Use the library\n(.*?)(?:\n## |\\z)", readme);
    return group("(?s)\n```" + language + "\n(.*?)\n```\n", section);
  }

  private static String lastBoolean(String code) {
    return group("(?s).*\\bboolean (\\w+) =", code);
  }

  private static String group(String regex, String text) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    assertTrue(matcher.find(), () -> "no " + regex + " in:\n" + text);
    return matcher.group(1);
  }
}

package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The script {@code winnow} refuses a Java that cannot work, in one sentence, and builds nothing.
 */
class LauncherTest {
  private static final String NEEDED = "Winnow needs a JDK 17 or later";

  @TempDir Path directory;
  private Path home;

  /** What came of it. */
  private record Result(int exitCode, String output) {}

  @BeforeEach
  void copyTheLauncher() throws IOException {
    // Alone in a directory: nothing can be built from there.
    Files.copy(Path.of("..", "..", "winnow"), directory.resolve("winnow"));
    home = directory.resolve("java");
  }

  /** A {@code java} that tells this version, and does nothing else. */
  private void javaOfVersion(String version) throws IOException {
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    // Java 8 knows no modules.
    Files.writeString(
        java,
        """
        #!/bin/sh
        case "$1" in
          --list-modules) [ %1$s != 1.8 ] ;;
          -XshowSettings:properties) echo '    java.specification.version = %1$s' >&2 ;;
          *) exit 1 ;;
        esac
        """
            .formatted(version));
    assertTrue(java.toFile().setExecutable(true));
  }

  private Result launch(String javaHome, String firstOnThePath, String command)
      throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    ProcessBuilder launcher =
        new ProcessBuilder("sh", directory.resolve("winnow").toString(), command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Map<String, String> environment = launcher.environment();
    environment.remove("JAVA_HOME");
    if (javaHome != null) {
      environment.put("JAVA_HOME", javaHome);
    }
    if (firstOnThePath != null) {
      environment.merge("PATH", firstOnThePath, (path, first) -> first + File.pathSeparator + path);
    }
    Process process = launcher.start();
    assertTrue(process.waitFor(10, TimeUnit.MINUTES));
    return new Result(process.exitValue(), Files.readString(output));
  }

  private void assertRefused(Result result, String reason) {
    assertEquals(1, result.exitCode, result.output);
    assertEquals(1, result.output.lines().count(), result.output);
    assertTrue(result.output.contains(NEEDED), result.output);
    assertTrue(result.output.contains(reason), result.output);
    assertFalse(Files.exists(directory.resolve("target")), "a build was begun");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9", "11", "16"})
  void javaThatIsTooOldIsRefused(String version) throws Exception {
    javaOfVersion(version);
    String bin = home.resolve("bin").toString();
    assertRefused(launch(null, bin, "quickstart"), "; java is " + version + ".");
    assertRefused(launch(home.toString(), null, "quickstart"), bin + "/java is " + version + ".");
    assertRefused(launch(home.toString(), null, "build"), bin + "/java is " + version + ".");
  }

  @Test
  void java8IsRefused() throws Exception {
    javaOfVersion("1.8");
    String bin = home.resolve("bin").toString();
    assertRefused(launch(null, bin, "bench"), "; java is older.");
    assertRefused(launch(home.toString(), null, "bench"), bin + "/java is older.");
  }

  @Test
  void javaHomeWithoutAJavaIsNamed() throws Exception {
    assertRefused(launch(home.toString(), null, "hfile"), "JAVA_HOME is " + home);
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "25"})
  void javaThatIsNewEnoughButNoJdkIsToldToBeAJre(String version) throws Exception {
    javaOfVersion(version);
    Result result = launch(home.toString(), null, "build");
    assertEquals(1, result.exitCode, result.output);
    assertTrue(result.output.contains("is a JRE"), result.output);
  }
}

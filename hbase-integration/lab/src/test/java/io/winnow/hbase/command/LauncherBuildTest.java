package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The script {@code winnow} in a checkout whose {@code mvnw} is a stand-in that only writes the
 * files of a build and a line in {@code builds}, and whose {@code java} prints its command line.
 */
class LauncherBuildTest {
  private static final List<String> MODULES =
      List.of(
          "filter-core",
          "hbase-integration/swap",
          "hbase-integration/dedup",
          "hbase-integration/lab",
          "jmh-bench",
          "ycsb-profiles");

  /** A build takes as long, and ends as, the files below {@code target} of the checkout say. */
  private static final String MVNW =
      """
#!/bin/sh
for file in hbase-integration/target/winnow-hbase.jar hbase-integration/target/winnow-lab.jar \\
    hbase-integration/target/hbase-pages.jar \\
    jmh-bench/target/benchmarks.jar ycsb-profiles/target/winnow-ycsb.jar; do
  mkdir -p "$(dirname "$file")"
  echo "half" >"$file"
done
echo begin >>builds
if [ -f old-error ]; then echo '[ERROR] of this build'; echo '[ERROR] Re-run Maven with -X'; exit 1; fi
while [ -f wait ]; do sleep 0.05; done
for file in hbase-integration/target/winnow-hbase.jar hbase-integration/target/winnow-lab.jar \\
    hbase-integration/target/hbase-pages.jar \\
    jmh-bench/target/benchmarks.jar ycsb-profiles/target/winnow-ycsb.jar; do
  echo "whole" >"$file"
done
printf '%s' "$PWD/pom.xml:$PWD/library.jar" >hbase-integration/target/hbase.classpath
cp hbase-integration/target/hbase.classpath ycsb-profiles/target/ycsb.classpath
cp hbase-integration/target/hbase.classpath jmh-bench/target/peers.classpath
echo end >>builds
""";

  private static final String JAVA =
      """
      #!/bin/sh
      case "$1" in
        --list-modules) exit 0 ;;
        -XshowSettings:properties) echo '    java.specification.version = 17' >&2 ;;
        *) echo "java $*" ;;
      esac
      """;

  @TempDir Path directory;
  private Path checkout;

  /** A command that runs. */
  private record Running(Process process, Path output) {
    Result end() throws IOException, InterruptedException {
      assertTrue(process.waitFor(10, TimeUnit.MINUTES), "it does not end");
      return new Result(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }
  }

  private record Result(int exitCode, String output) {}

  @BeforeEach
  void makeTheCheckout() throws IOException {
    checkout = Files.createDirectories(directory.resolve("a checkout"));
    Files.copy(Path.of("..", "..", "winnow"), checkout.resolve("winnow"));
    assertTrue(checkout.resolve("winnow").toFile().setExecutable(true));
    executable(checkout.resolve("mvnw"), MVNW);
    executable(directory.resolve("jdk/bin/java"), JAVA);
    executable(directory.resolve("jdk/bin/javac"), JAVA);
    source("pom.xml");
    source("library.jar");
    source("hbase-integration/pom.xml");
    for (String module : MODULES) {
      source(module + "/pom.xml");
      source(module + "/src/main/A.java");
      source(module + "/src/main/B.java");
    }
    source("ycsb-profiles/profiles/one");
  }

  private static void executable(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    assertTrue(file.toFile().setExecutable(true));
  }

  private void source(String name) throws IOException {
    Path file = checkout.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "source\n");
    old(file);
  }

  /** Older than any build, whatever a file system makes of a second. */
  private static void old(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(3600)));
  }

  private Running start(Path script, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(directory, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
    builder.environment().remove("TMPDIR");
    builder.environment().putAll(environment);
    return new Running(builder.start(), output);
  }

  private Result launch(String... arguments) throws Exception {
    return start(checkout.resolve("winnow"), Map.of(), arguments).end();
  }

  private long builds(String which) throws IOException {
    Path file = checkout.resolve("builds");
    return Files.exists(file) ? Files.readAllLines(file).stream().filter(which::equals).count() : 0;
  }

  private void awaitBuilds(int count) throws Exception {
    for (int i = 0; i < 12_000 && builds("begin") < count; i++) {
      Thread.sleep(50);
    }
    assertEquals(count, builds("begin"));
  }

  private void assertBuilds(int count, Result result) throws IOException {
    assertEquals(0, result.exitCode, result.output);
    assertEquals(count, builds("end"), result.output);
  }

  @Test
  void whatIsBuiltIsNotBuiltAgain() throws Exception {
    assertBuilds(1, launch("build"));
    Result second = launch("build");
    assertBuilds(1, second);
    assertEquals(checkout + "/hbase-integration/target/winnow-hbase.jar\n", second.output);
    Result run = launch("quickstart", "--rows", "a b");
    assertBuilds(1, run);
    assertTrue(run.output.contains("io.winnow.hbase.quickstart.Quickstart --rows a b"), run.output);
    // Another module: what it is made of is made with it.
    assertBuilds(2, launch("bench"));
    assertBuilds(2, launch("cascade", "bench"));
    Result flash = launch("flash", "bench");
    assertBuilds(2, flash);
    assertTrue(flash.output.contains("benchmarks.jar:" + checkout + "/pom.xml:"), flash.output);
    assertBuilds(2, launch("quickstart"));
  }

  @Test
  void aSourceThatChangesComesOrGoesIsSeen() throws Exception {
    Path sources = checkout.resolve("filter-core/src/main");
    assertBuilds(1, launch("build"));
    Files.writeString(sources.resolve("A.java"), "changed\n");
    Files.setLastModifiedTime(
        sources.resolve("A.java"), FileTime.from(Instant.now().plusSeconds(2)));
    assertBuilds(2, launch("build"));
    old(sources.resolve("A.java"));
    assertBuilds(2, launch("build"));
    Files.delete(sources.resolve("B.java"));
    assertBuilds(3, launch("build"));
    source("filter-core/src/main/Old.java"); // as unpacked from an archive
    assertBuilds(4, launch("build"));
    source("ycsb-profiles/profiles/two");
    assertBuilds(4, launch("build"));
    assertBuilds(5, launch("ycsb"));
  }

  @Test
  void aFileThatIsGoneOrThatAnotherBuildWroteIsMadeAnew() throws Exception {
    Path jar = checkout.resolve("hbase-integration/target/winnow-hbase.jar");
    assertBuilds(1, launch("build"));
    Files.writeString(jar, "ha");
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(2)));
    assertBuilds(2, launch("build"));
    assertEquals("whole\n", Files.readString(jar));
    Files.delete(checkout.resolve("library.jar"));
    Result result = launch("build");
    assertEquals(3, builds("end"), result.output);
  }

  /** The launcher and Maven are killed half-way: half a jar is not taken for a whole one. */
  @Test
  void anInterruptedBuildDoesNotCount() throws Exception {
    Files.createFile(checkout.resolve("wait"));
    Running first = start(checkout.resolve("winnow"), Map.of(), "build");
    awaitBuilds(1);
    first.process.descendants().forEach(ProcessHandle::destroyForcibly);
    first.process.destroyForcibly();
    first.end();
    Path jar = checkout.resolve("hbase-integration/target/winnow-hbase.jar");
    assertEquals("half\n", Files.readString(jar));
    Files.delete(checkout.resolve("wait"));
    assertBuilds(1, launch("quickstart"));
    assertEquals("whole\n", Files.readString(jar));
  }

  @Test
  void theEndOfTheLauncherIsTheEndOfMavenAndIsQuiet() throws Exception {
    Files.createFile(checkout.resolve("wait"));
    Running build = start(checkout.resolve("winnow"), Map.of(), "build");
    awaitBuilds(1);
    List<ProcessHandle> children = build.process.descendants().toList();
    assertFalse(children.isEmpty());
    build.process.destroy(); // SIGTERM
    Result result = build.end();
    assertEquals(143, result.exitCode, result.output);
    assertTrue(result.output.lines().allMatch(LauncherBuildTest::isOfABuild), result.output);
    for (ProcessHandle child : children) {
      child.onExit().get(10, TimeUnit.MINUTES);
    }
    Files.delete(checkout.resolve("wait"));
    assertBuilds(1, launch("build"));
  }

  private static boolean isOfABuild(String line) {
    return line.startsWith("winnow: building hbase-integration");
  }

  @Test
  void aLongBuildSaysThatItGoesOn() throws Exception {
    Files.createFile(checkout.resolve("wait"));
    Running build = start(checkout.resolve("winnow"), Map.of(), "build");
    awaitBuilds(1);
    Files.writeString(checkout.resolve("target/winnow-build.log"), "[INFO] Compiling\n[INFO] \n");
    for (int i = 0; i < 12_000 && !Files.readString(build.output).contains("Compiling"); i++) {
      Thread.sleep(50);
    }
    Files.delete(checkout.resolve("wait"));
    Result result = build.end();
    assertBuilds(1, result);
    List<String> progress =
        result
            .output
            .lines()
            .filter(line -> line.startsWith("winnow: building hbase-integration, "))
            .toList();
    for (int i = 0; i < progress.size(); i++) { // the first ones may come before the log has a line
      String start = "winnow: building hbase-integration, " + 4 * (i + 1) + " s: ";
      assertTrue(progress.get(i).matches(start + "(\\[INFO] Compiling)?"), result.output);
    }
    assertTrue(
        progress.stream().anyMatch(line -> line.endsWith("[INFO] Compiling")), result.output);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void twoAtOnceDoNotMeet(boolean withFlock) throws Exception {
    Map<String, String> path = withFlock ? Map.of() : Map.of("PATH", pathWithoutFlock());
    Files.createFile(checkout.resolve("wait"));
    Running first = start(checkout.resolve("winnow"), path, "build");
    awaitBuilds(1);
    Running second = start(checkout.resolve("winnow"), path, "build");
    for (int i = 0; i < 12_000 && !Files.readString(second.output).contains("waiting"); i++) {
      Thread.sleep(50);
    }
    assertEquals(1, builds("begin"));
    Files.delete(checkout.resolve("wait"));
    assertBuilds(1, first.end());
    Result waited = second.end();
    assertBuilds(1, waited);
    assertTrue(waited.output.contains("another build runs in " + checkout), waited.output);
  }

  /** The lock of a process that is no more is not waited for. */
  @Test
  void aLockThatWasLeftBehindIsTaken() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    Files.createDirectories(checkout.resolve("target"));
    Files.createSymbolicLink(
        checkout.resolve("target/winnow-build.owner"), Path.of(Long.toString(gone.pid())));
    Map<String, String> path = Map.of("PATH", pathWithoutFlock());
    assertBuilds(1, start(checkout.resolve("winnow"), path, "build").end());
    assertFalse(Files.isSymbolicLink(checkout.resolve("target/winnow-build.owner")));
  }

  /** What the launcher uses, but not flock. */
  private String pathWithoutFlock() throws IOException {
    String commands =
        "awk cat cp dirname find git grep ln mkdir mv ps readlink rm sed sh sleep sort tail tr";
    for (String command : commands.split(" ")) {
      for (String from : List.of("/bin/", "/usr/bin/")) {
        if (Files.isExecutable(Path.of(from + command))) {
          executable(
              directory.resolve("bin").resolve(command),
              "#!/bin/sh\nexec " + from + command + " \"$@\"\n");
        }
      }
    }
    return directory.resolve("bin").toString();
  }

  @Test
  void aBuildThatFailsShowsItsOwnErrorsOnly() throws Exception {
    Files.createDirectories(checkout.resolve("target"));
    Files.writeString(
        checkout.resolve("target/winnow-build.log"), "[ERROR] of another build\nBUILD SUCCESS\n");
    Files.createFile(checkout.resolve("old-error"));
    Result result = launch("build");
    assertEquals(1, result.exitCode, result.output);
    assertTrue(result.output.contains("[ERROR] of this build\nwinnow: the build failed"));
    assertFalse(result.output.contains("another"), result.output);
    assertFalse(result.output.contains("SUCCESS"), result.output);
    assertFalse(result.output.contains("Re-run"), result.output);
    Files.delete(checkout.resolve("old-error"));
    assertBuilds(1, launch("build"));
  }

  @Test
  void aLinkToALinkToTheLauncherFindsTheCheckout() throws Exception {
    Path there = Files.createSymbolicLink(directory.resolve("there"), checkout);
    Path first = Files.createSymbolicLink(directory.resolve("first"), Path.of("there", "winnow"));
    Path below = Files.createDirectories(directory.resolve("below"));
    Path second = Files.createSymbolicLink(below.resolve("second"), Path.of("..", "first"));
    Path third = Files.createSymbolicLink(directory.resolve("third"), second);
    for (Path link : List.of(there.resolve("winnow"), first, second, third)) {
      Result result = start(link, Map.of(), "build").end();
      assertBuilds(1, result);
      assertTrue(
          result.output.endsWith(
              checkout.toRealPath() + "/hbase-integration/target/winnow-hbase.jar\n"),
          result.output);
    }
    assertFalse(Files.exists(below.resolve("target")) || Files.exists(directory.resolve("target")));
  }

  @Test
  void moreJarsComeLastOnTheClassPath() throws Exception {
    Map<String, String> environment = Map.of("HBASE_CLASSPATH", "/c.jar");
    Result result =
        start(checkout.resolve("winnow"), environment, "--jars", "/a.jar:/b.jar", "inspect", "FILE")
            .end();
    assertBuilds(1, result);
    String expected = "/library.jar:/a.jar:/b.jar:/c.jar io.winnow.hbase.tools.Winnow inspect FILE";
    assertTrue(result.output.contains(expected), result.output);
    assertEquals(64, launch("--jars").exitCode);
  }

  /** The agent has a line to say in each JVM. */
  @Test
  void onlyCommandsThatRunHBaseHaveTheAgent() throws Exception {
    for (String command : List.of("rates", "scans --store usual", "ycsb --stores", "quickstart")) {
      assertTrue(launch(command.split(" ")).output.contains(" -javaagent:"), command);
    }
    for (String command :
        List.of("rates --report", "scans --report", "ycsb --report=FILE", "dedup bench --report")) {
      assertFalse(launch(command.split(" ")).output.contains(" -javaagent:"), command);
    }
    assertFalse(launch("model").output.contains(" -javaagent:"));
  }

  @Test
  void temporaryFilesGoWhereTmpdirSays() throws Exception {
    Path tmp = Files.createDirectories(directory.resolve("my tmp"));
    for (String command : List.of("quickstart", "bench", "cascade bench", "flash bench", "model")) {
      Map<String, String> environment = Map.of("TMPDIR", "my tmp"); // as a shell's cd finds it
      Result result = start(checkout.resolve("winnow"), environment, command.split(" ")).end();
      assertEquals(0, result.exitCode, result.output);
      assertTrue(result.output.contains(" -Djava.io.tmpdir=" + tmp + " "), result.output);
    }
    Result result =
        start(checkout.resolve("winnow"), Map.of("TMPDIR", "/no/such"), "quickstart").end();
    assertEquals(1, result.exitCode);
    assertEquals(
        "winnow: TMPDIR is /no/such, which is not a directory that you can write to.\n",
        result.output);
  }

  /** Who may not write uses what is there, or is told in a sentence. */
  @Test
  void aCheckoutThatCannotBeWritten() throws Exception {
    Path readOnly = checkout;
    assertBuilds(1, launch("build"));
    try {
      writable(readOnly, false);
      assumeTrue(!Files.isWritable(readOnly), "this user may write everywhere");
      assertBuilds(1, launch("build"));
      writable(readOnly, true);
      source("filter-core/src/main/New.java");
      writable(readOnly, false);
      Result result = launch("build");
      assertEquals(1, result.exitCode, result.output);
      assertEquals(1, result.output.lines().count(), result.output);
      assertTrue(result.output.contains("its sources changed"), result.output);
      assertTrue(result.output.contains("you cannot write to " + checkout), result.output);
    } finally {
      writable(readOnly, true);
    }
  }

  private static void writable(Path tree, boolean writable) throws IOException {
    try (var paths = Files.walk(tree)) {
      for (Path path : paths.filter(Files::isDirectory).toList()) {
        assertTrue(path.toFile().setWritable(writable));
      }
    }
  }
}

package io.winnow.hbase.it;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * JVMs with the agent, and what may be in its way. Each either uses Winnow's filters, or does not
 * start, or says in one line why it uses HBase's own: a store file that it writes shows which. Some
 * run at the same time: they share nothing.
 */
@Execution(ExecutionMode.CONCURRENT)
class AgentStartIT {
  private static final String FACTORY = OtherAgents.FACTORY;
  private static final String CHECKER = OtherAgents.CHECKER;
  private static final String OURS = "WIN1 WinnowFilterReader\n";
  private static final String STOCK = "3 CompoundBloomFilter\n";
  private static final String WHOLE = JavaProcess.classPath();
  private static final String REGION_SERVER = "org.apache.hadoop.hbase.regionserver.";
  private static final String TAKE_IT_OFF =
      "Take -javaagent:winnow-hbase.jar off its options to start it without.\n";
  private static final String ACTIVE =
      "Winnow: INFO: version \\S+ is active in HBase \\d\\S+\\d\\. Woven: BloomFilterFactory\\b.*";

  private static final String OFF = "nothing";

  /** Of a test that says the same on each HBase: it runs on one. */
  private static final String ANY_HBASE = "any-hbase";

  private static String agent() {
    return "-javaagent:" + TestServer.agentJar();
  }

  private static String optional() {
    return agent() + "=optional";
  }

  /** As {@code bin/hbase} starts a region server: its log says what is woven. */
  private static JavaProcess.Result writes(String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-Dproc_regionserver"));
    all.addAll(List.of(options));
    return JavaProcess.with(all.toArray(String[]::new)).run(StoreFileMain.class.getName());
  }

  /** What Winnow said; HBase may log, too. */
  private static List<String> said(JavaProcess.Result result) {
    return result.errors().lines().filter(line -> line.startsWith("Winnow")).toList();
  }

  private static void assertActive(JavaProcess.Result result, String off) {
    assertActive("", result, off);
  }

  private static void assertActive(String shown, JavaProcess.Result result, String off) {
    assertEquals(0, result.exitCode(), result.toString());
    assertEquals(shown + OURS, result.output(), result.toString());
    List<String> said = said(result);
    assertEquals(1, said.size(), result.toString());
    assertTrue(said.get(0).matches(ACTIVE), said.get(0));
    assertTrue(said.get(0).endsWith(" Off: " + off + "."), said.get(0));
  }

  /** The start fails; and with an optional agent goes on, with one line. */
  private static void assertRefused(String found, String classPath, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of(agent(), "-cp", classPath));
    JavaProcess.Result refused = writes(all.toArray(String[]::new));
    assertEquals(1, refused.exitCode(), refused.toString());
    assertEquals("", refused.output());
    List<String> lines = refused.errors().lines().toList();
    assertEquals(5, lines.size(), refused.errors());
    assertEquals(
        "Winnow: cannot put its filters into this HBase, so the JVM is not started.", lines.get(0));
    assertTrue(lines.get(1).startsWith("  Class:    "), lines.get(1));
    assertTrue(lines.get(2).startsWith("  Found:    "), lines.get(2));
    assertTrue(lines.get(2).contains(found), lines.get(2));
    assertTrue(lines.get(3).startsWith("  Expected: "), lines.get(3));
    assertTrue(lines.get(4).startsWith("  What to do: use the Winnow release "), lines.get(4));

    all.set(all.indexOf(agent()), optional());
    JavaProcess.Result stepsAside = writes(all.toArray(String[]::new));
    assertEquals(0, stepsAside.exitCode(), stepsAside.toString());
    assertEquals(STOCK, stepsAside.output());
    assertEquals(
        List.of(
            ("Winnow: ERROR: its filters are NOT in use in this JVM, HBase's own are. Class: ")
                + (lines.get(1).substring(12) + ". Found: " + lines.get(2).substring(12))
                + (". Expected: " + lines.get(3).substring(12))
                + ". What to do: use the Winnow release that was made for this version of HBase."),
        said(stepsAside));
  }

  @Test
  void theHBaseItWasMadeForStarts() throws IOException, InterruptedException {
    assertActive(writes(agent(), "-cp", WHOLE), OFF);
    // Of the classes beside the factory, one that is woven in any case.
    String shows = OtherAgents.option(OtherAgents.Shows.class, CHECKER);
    assertActive("woven: true\n", writes(optional(), shows, "-cp", WHOLE), OFF);
  }

  @Test
  @Tag(ANY_HBASE)
  void outsideServersItSaysOneShortSentence() throws IOException, InterruptedException {
    for (String off : List.of("", "=off=page,metrics")) {
      JavaProcess.Result result =
          JavaProcess.with(agent() + off, "-cp", WHOLE).run(StoreFileMain.class.getName());
      assertEquals(OURS, result.output(), result.toString());
      List<String> said = said(result);
      assertEquals(1, said.size(), result.toString());
      String without = off.isEmpty() ? "" : ", without metrics, page";
      assertTrue(
          said.get(0)
              .matches(
                  "Winnow: INFO: version \\S+ is active in HBase \\d\\S+\\d" + without + "\\."),
          said.get(0));
    }
  }

  /** Of the swap nothing has run by then: it is loaded at start, or never. */
  @Test
  @Tag(ANY_HBASE)
  void jarThatIsOverwrittenLaterDoesNoHarm() throws IOException, InterruptedException {
    Path directory = TestServer.emptyDirectory("overwritten");
    Path jar = directory.resolve("winnow-hbase.jar");
    String withoutTheJar = // else each class is found there
        Arrays.stream(WHOLE.split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).endsWith(TestServer.agentJar().getFileName()))
            .collect(Collectors.joining(File.pathSeparator));
    byte[] garbage = new byte[(int) Files.size(TestServer.agentJar())];
    Arrays.fill(garbage, (byte) 'x');
    Path otherJar = directory.resolve("other.jar");
    new JarOutputStream(Files.newOutputStream(otherJar), new Manifest()).close();
    for (byte[] bytes : List.of(garbage, new byte[0], Files.readAllBytes(otherJar))) {
      Path other = Files.write(directory.resolve("other"), bytes);
      Files.copy(TestServer.agentJar(), jar, StandardCopyOption.REPLACE_EXISTING);
      assertActive(
          JavaProcess.with("-Dproc_regionserver", "-javaagent:" + jar, "-cp", withoutTheJar)
              .run(StoreFileMain.class.getName(), jar.toString(), other.toString()),
          OFF);
      assertArrayEquals(bytes, Files.readAllBytes(jar));
    }
  }

  @Test
  void withoutTheAgentTheFilterIsHBasesOwn() throws IOException, InterruptedException {
    assertEquals(STOCK, writes("-cp", WHOLE).output());
  }

  @Test
  @Tag(ANY_HBASE)
  void argumentThatIsUnknownIsRefused() throws IOException, InterruptedException {
    JavaProcess.Result result = writes(agent() + "=optionl", "-cp", WHOLE);
    assertEquals(1, result.exitCode(), result.toString());
    assertEquals("", result.output());
    assertEquals(
        "Winnow: ERROR: the JVM is not started: the agent's argument is 'optionl', must be"
            + " 'optional', or 'off=' and names, or none. "
            + TAKE_IT_OFF,
        result.errors());
  }

  /**
   * A feature's name, and the classes that are woven for it, or one of ours that asks by itself.
   */
  private static final Map<String, List<String>> SWITCHES =
      Map.ofEntries(
          entry("system-tables", List.of(REGION_SERVER + "StoreUtils")),
          entry("settings-check", List.of(CHECKER)),
          entry("metrics", List.of(REGION_SERVER + "MetricsRegionServerWrapperImpl")),
          entry("false-positive-count", List.of(REGION_SERVER + "StoreFileScanner")),
          entry(
              "scans", List.of(REGION_SERVER + "StoreFileReader", REGION_SERVER + "StoreScanner")),
          entry("filter-ranges", List.of(REGION_SERVER + "RegionScannerImpl")),
          entry("page", List.of(REGION_SERVER + "HRegionServer")),
          entry(
              "store-rates",
              List.of(REGION_SERVER + "StoreEngine", REGION_SERVER + "compactions.Compactor")),
          entry("bulk-load", List.of("org.apache.hadoop.hbase.tool.LoadIncrementalHFiles")),
          entry("scan-metrics", List.of()),
          entry("short-cut", List.of()));

  /** Whether the classes of the table are woven, and the two other features are on. */
  private static String shown(Set<String> off) {
    return SWITCHES.entrySet().stream()
        .flatMap(
            one -> one.getValue().stream().map(name -> name + " " + !off.contains(one.getKey())))
        .sorted()
        .map(line -> "woven: " + line + "\n")
        .collect(Collectors.joining());
  }

  private static String shownBy(String arguments) throws IOException, InterruptedException {
    String classes =
        SWITCHES.values().stream().flatMap(List::stream).sorted().collect(Collectors.joining(","));
    JavaProcess.Result result =
        writes(
            agent() + arguments,
            OtherAgents.option(OtherAgents.ShowsAll.class, classes),
            "-cp",
            WHOLE);
    assertEquals(0, result.exitCode(), result.toString());
    assertTrue(result.output().endsWith(OURS), result.toString());
    assertEquals(1, said(result).size(), result.toString());
    return result.output() + said(result).get(0);
  }

  /**
   * So few sets that each name is in two of them, and no two names in the same two: of any two
   * names each is off once while the other is on.
   */
  private static List<Set<String>> apart(List<String> names) {
    List<Set<String>> sets = new ArrayList<>();
    int next = 0;
    for (int second = 1; next < names.size(); second++) {
      for (int first = 0; first < second && next < names.size(); first++) {
        while (sets.size() <= second) {
          sets.add(new TreeSet<>());
        }
        sets.get(first).add(names.get(next));
        sets.get(second).add(names.get(next++));
      }
    }
    return sets;
  }

  /** What is on beside the filters, as the server's log says. */
  private static Set<String> on(String shown) {
    Matcher on = Pattern.compile(" On: filters, ([^.]+)\\.").matcher(shown);
    assertTrue(on.find(), shown);
    return new TreeSet<>(List.of(on.group(1).split(", ")));
  }

  @Test
  void eachHookCanBeSwitchedOffByItsName() throws IOException, InterruptedException {
    String all = shownBy("");
    assertTrue(all.startsWith(shown(Set.of())), all);
    List<String> names = SWITCHES.keySet().stream().sorted().toList();
    assertEquals(new TreeSet<>(names), on(all), all);
    for (Set<String> off : apart(names)) {
      String shown = shownBy("=off=" + String.join(",", off));
      assertTrue(shown.startsWith(shown(off) + OURS), shown);
      Set<String> left = new TreeSet<>(names);
      left.removeAll(off);
      assertEquals(left, on(shown), shown);
      for (String name : names) {
        assertEquals(off.contains(name), shown.contains(" (off=" + name + ")"), name + shown);
      }
    }
    String none = shownBy("=off=" + String.join(",", names) + ",optional");
    assertTrue(none.startsWith(shown(Set.copyOf(names)) + OURS), none);
    String woven = " Woven: BloomFilterFactory; when they are loaded: nothing. On: filters. Off: ";
    assertTrue(none.contains(woven), none);
    assertTrue(shownBy("=optional,off=page").startsWith(shown(Set.of("page")) + OURS));
  }

  @Test
  @Tag(ANY_HBASE)
  void whatCannotBeSwitchedOffIsRefused() throws IOException, InterruptedException {
    for (String name : List.of("pages", "filters", "", "page ")) {
      String problem =
          "the agent's argument has off=" + name + ", which is none of system-tables, ";
      JavaProcess.Result refused = writes(agent() + "=off=metrics," + name, "-cp", WHOLE);
      assertEquals(1, refused.exitCode(), refused.toString());
      assertEquals("", refused.output());
      assertTrue(
          refused.errors().startsWith("Winnow: ERROR: the JVM is not started: " + problem),
          refused.errors());
      JavaProcess.Result stepsAside = writes(optional() + ",off=" + name, "-cp", WHOLE);
      assertEquals(0, stepsAside.exitCode(), stepsAside.toString());
      assertEquals(STOCK, stepsAside.output());
      assertEquals(1, said(stepsAside).size(), stepsAside.toString());
      assertTrue(said(stepsAside).get(0).contains("are NOT in use in this JVM"));
      assertTrue(said(stepsAside).get(0).contains(problem), stepsAside.errors());
    }
  }

  /** These two are no code in HBase: our own asks whether they are on. */
  @Test
  void whatIsNotWovenIsSwitchedOffToo() throws IOException, InterruptedException {
    for (String off : List.of("", "=off=short-cut", "=off=scan-metrics")) {
      JavaProcess.Result result =
          JavaProcess.with(agent() + off, "-cp", WHOLE).run(OwnSwitchesMain.class.getName());
      assertEquals(0, result.exitCode(), result.toString());
      for (String name : List.of("short-cut", "scan-metrics")) {
        String line = name + ": " + !off.endsWith(name);
        assertTrue(result.output().contains(line), result.toString());
      }
    }
  }

  @Test
  @Tag(ANY_HBASE)
  void javaThatIsTooOldIsNamed() throws IOException, InterruptedException {
    String java10 = OtherAgents.option(OtherAgents.CallsItOld.class, "10");
    String problem =
        ("this JVM is Java 10 (" + System.getProperty("java.home"))
            + "), Winnow needs Java 11 or newer.";
    JavaProcess.Result refused = writes(java10, agent(), "-cp", WHOLE);
    assertEquals(1, refused.exitCode(), refused.toString());
    assertEquals("", refused.output());
    assertEquals(
        "Winnow: ERROR: the JVM is not started: " + problem + " " + TAKE_IT_OFF, refused.errors());

    JavaProcess.Result stepsAside = writes(java10, optional(), "-cp", WHOLE);
    assertEquals(0, stepsAside.exitCode(), stepsAside.toString());
    assertEquals(STOCK, stepsAside.output());
    assertEquals(
        List.of(
            "Winnow: ERROR: its filters are NOT in use in this JVM, HBase's own are: " + problem),
        said(stepsAside));

    JavaProcess.Result tool =
        JavaProcess.with(java10, "-cp", WHOLE).run("io.winnow.hbase.tools.Winnow", "doctor");
    assertEquals(1, tool.exitCode(), tool.toString());
    assertEquals("", tool.output());
    assertEquals(
        "winnow: "
            + problem
            + " Neither the agent nor its tools run here. Give HBase a newer Java: JAVA_HOME in"
            + " hbase-env.sh.\n",
        tool.errors());
  }

  @Test
  @Tag(ANY_HBASE)
  void classPathWithoutHBaseIsToldAndTheJvmGoesOn() throws Exception {
    Path classes = TestServer.emptyDirectory("no-hbase");
    compile(
        classes,
        "Main",
        "public class Main {public static void main(String[] a) {System.out.print(\"ran\");}}");
    for (String option : List.of(agent(), optional())) {
      JavaProcess.Result result = JavaProcess.with(option, "-cp", classes.toString()).run("Main");
      assertEquals(0, result.exitCode(), result.toString());
      assertEquals("ran", result.output());
      assertEquals(
          ("Winnow: INFO: no HBase server is on the class path of this JVM (" + FACTORY)
              + " is not there): there is nothing to do.\n",
          result.errors());
    }
  }

  @Test
  void classThatAnotherAgentHadLoadedIsWovenAllTheSame() throws IOException, InterruptedException {
    String loads = OtherAgents.option(OtherAgents.Loads.class, FACTORY);
    assertActive(writes(loads, agent(), "-cp", WHOLE), OFF);
  }

  @Test
  void agentThatTransformsTheClassAgainDoesNotTakeItAway()
      throws IOException, InterruptedException {
    String retransforms = OtherAgents.option(OtherAgents.Retransforms.class, FACTORY);
    assertActive(writes(agent(), retransforms, "-cp", WHOLE), OFF);
    assertActive(writes(retransforms, optional(), "-cp", WHOLE), OFF);
  }

  @Test
  void classThatAnotherAgentChangedIsRefused() throws IOException, InterruptedException {
    String renames =
        OtherAgents.option(OtherAgents.Renames.class, FACTORY + ":createDeleteBloomAtWrite");
    JavaProcess.Result refused = writes(renames, agent(), "-cp", WHOLE);
    assertEquals(1, refused.exitCode(), refused.toString());
    assertTrue(
        refused
            .errors()
            .contains(
                "  Found:    no static BloomFilterWriter"
                    + " createDeleteBloomAtWrite(Configuration, CacheConfig, int, HFile.Writer)\n"),
        refused.errors());
    // HBase itself is broken by that agent, so no file is written.
    JavaProcess.Result stepsAside =
        JavaProcess.with(renames, optional(), "-cp", WHOLE)
            .run("org.apache.hadoop.hbase.util.VersionInfo");
    assertEquals(0, stepsAside.exitCode(), stepsAside.toString());
    assertEquals(1, said(stepsAside).size(), stepsAside.errors());
    assertTrue(said(stepsAside).get(0).startsWith("Winnow: ERROR: its filters are NOT in use"));
  }

  @Test
  void factoryOfAnotherShapeIsRefused() throws Exception {
    Path classes = TestServer.emptyDirectory("other-factory");
    overlay(classes, FACTORY, "isGeneralBloomEnabled"); // stock code gets on without these
    Path factory = classes.resolve(FACTORY.replace('.', '/') + ".class");
    Files.write(factory, OtherAgents.renamed(Files.readAllBytes(factory), "getMaxFold"));
    assertRefused(
        "no boolean " + FACTORY + ".isGeneralBloomEnabled(Configuration)",
        JavaProcess.classPath(classes));
  }

  @Test
  @Tag(ANY_HBASE)
  void factoryWithOtherMethodsIsRefused() throws Exception {
    Path classes = TestServer.emptyDirectory("other-methods");
    compile(
        classes,
        "BloomFilterFactory",
        """
        package org.apache.hadoop.hbase.util;
        public final class BloomFilterFactory {
          public static Object createFromMeta(java.io.DataInput meta) {
            return null;
          }
        }
        """);
    JavaProcess.Result refused = writes(agent(), "-cp", JavaProcess.classPath(classes));
    assertEquals(1, refused.exitCode(), refused.toString());
    for (String part :
        List.of(
            "  Class:    " + FACTORY + "\n",
            "no static BloomFilter createFromMeta(DataInput, HFile.Reader, BloomFilterMetrics),"
                + " but static Object createFromMeta(DataInput)",
            "  Expected: static BloomFilter createFromMeta(DataInput, ")) {
      assertTrue(refused.errors().contains(part), part + " is not in: " + refused.errors());
    }
    assertFalse(refused.errors().contains("Exception"), refused.errors());
  }

  @Test
  void memberThatIsMissingElsewhereIsNamed() throws Exception {
    Path classes = TestServer.emptyDirectory("missing-member");
    String metrics = "org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics";
    overlay(classes, metrics, "incrementRequests");
    assertRefused(
        "no void " + metrics + ".incrementRequests(boolean)", JavaProcess.classPath(classes));
  }

  @Test
  void memberThatOneFeatureUsesTurnsItOff() throws Exception {
    Path classes = TestServer.emptyDirectory("no-eviction-count");
    String stats = "org.apache.hadoop.hbase.io.hfile.CacheStats";
    overlay(classes, stats, "getEvictionCount");
    assertActive(
        writes(agent(), "-cp", JavaProcess.classPath(classes)),
        "short cut to remembered chunks (no long " + stats + ".getEvictionCount())");
  }

  @Test
  void classOfOneFeatureThatAnotherAgentChangedTurnsItOff()
      throws IOException, InterruptedException {
    JavaProcess.Result result =
        writes(
            OtherAgents.option(OtherAgents.Renames.class, CHECKER + ":sanityCheck"),
            OtherAgents.option(OtherAgents.Loads.class, CHECKER),
            agent(),
            OtherAgents.option(OtherAgents.Shows.class, CHECKER),
            "-cp",
            WHOLE);
    assertEquals(0, result.exitCode(), result.toString());
    assertEquals("woven: false\n" + OURS, result.output());
    assertEquals(1, said(result).size(), result.toString());
    String off = "check of settings at create and alter (TableDescriptorChecker: it has no ";
    assertTrue(said(result).get(0).contains(off), result.errors());
    assertFalse(said(result).get(0).contains("StoreUtils, TableDescriptorChecker"));
  }

  @Test
  void classThatNeedsAFieldMoreIsLeftAloneIfItIsLoaded() throws IOException, InterruptedException {
    String scanner = "org.apache.hadoop.hbase.regionserver.StoreFileScanner";
    String shows = OtherAgents.option(OtherAgents.Shows.class, scanner);
    JavaProcess.Result first = writes(agent(), shows, "-cp", WHOLE);
    assertEquals("woven: true\n" + OURS, first.output(), first.toString());

    String loads = OtherAgents.option(OtherAgents.Loads.class, scanner);
    JavaProcess.Result late = writes(loads, agent(), shows, "-cp", WHOLE);
    assertEquals(0, late.exitCode(), late.toString());
    assertEquals("woven: false\n" + OURS, late.output(), late.toString());
    assertEquals(1, said(late).size(), late.toString());
    String off =
        "count of false positives (StoreFileScanner: it was loaded before the agent, and cannot be"
            + " changed: java.lang.UnsupportedOperationException: ";
    assertTrue(said(late).get(0).contains(off), late.errors());
  }

  @Test
  void methodThatGetsTooLongByWeavingIsRefused() throws Exception {
    Path classes = TestServer.emptyDirectory("long-method");
    String stock = "org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter(meta, reader, metrics)";
    compile(
        classes,
        "BloomFilterFactory",
        """
        package org.apache.hadoop.hbase.util;
        import org.apache.hadoop.conf.Configuration;
        import org.apache.hadoop.hbase.io.hfile.*;
        import org.apache.hadoop.hbase.regionserver.BloomType;
        public final class BloomFilterFactory {
          public static BloomFilter createFromMeta(
              java.io.DataInput meta, HFile.Reader reader, BloomFilterMetrics metrics)
              throws java.io.IOException {
            int i = 0;
            %s
            return meta.readInt() == 3 ? new %s : null;
          }
          public static BloomFilterWriter createGeneralBloomAtWrite(Configuration conf,
              CacheConfig cache, BloomType type, int maxKeys, HFile.Writer writer) {
            CompoundBloomFilterWriter bloom = new CompoundBloomFilterWriter(
                131072, 0.01f, 1, 7, false, null, type);
            writer.addInlineBlockWriter(bloom);
            return bloom;
          }
          public static BloomFilterWriter createDeleteBloomAtWrite(
              Configuration conf, CacheConfig cache, int maxKeys, HFile.Writer writer) {
            return null;
          }
          public static boolean isGeneralBloomEnabled(Configuration conf) { return true; }
          public static boolean isDeleteFamilyBloomEnabled(Configuration conf) { return false; }
          public static float getErrorRate(Configuration conf) { return 0.01f; }
          public static int getMaxFold(Configuration conf) { return 7; }
          public static int getBloomBlockSize(Configuration conf) { return 131072; }
          public static int getMaxKeys(Configuration conf) { return 1 << 27; }
        }
        """
            .formatted("i++;".repeat(21_830), stock));
    assertRefused("weaving failed: ", JavaProcess.classPath(classes));

    // Once the agent has stepped aside, the other classes of its table are left alone, too.
    String shows = OtherAgents.option(OtherAgents.Shows.class, CHECKER);
    assertEquals(
        "woven: false\n" + STOCK,
        writes(optional(), shows, "-cp", JavaProcess.classPath(classes)).output());
  }

  @Test
  @Tag(ANY_HBASE)
  void classOfTheBootLoaderIsRefused() throws Exception {
    Path classes = TestServer.emptyDirectory("boot-loader");
    overlay(classes, FACTORY, ""); // as it is
    JavaProcess.Result refused =
        JavaProcess.with("-Xbootclasspath/a:" + classes, agent(), "-cp", WHOLE).run("Any");
    assertEquals(1, refused.exitCode(), refused.toString());
    assertTrue(
        refused.errors().contains("it is loaded by the boot loader, not by the application's"),
        refused.errors());
  }

  @Test
  @Tag(ANY_HBASE)
  void hbaseOfAForeignLoaderIsToldAndStaysStock() throws IOException, InterruptedException {
    String tests = Path.of("target", "test-classes").toAbsolutePath().toString();
    for (String option : List.of(agent(), optional())) {
      JavaProcess.Result result =
          JavaProcess.with(option, "-cp", tests).run(ForeignLoaderMain.class.getName(), WHOLE);
      assertEquals(0, result.exitCode(), result.toString());
      assertEquals(STOCK, result.output());
      List<String> said = said(result);
      assertEquals(2, said.size(), result.toString());
      assertTrue(said.get(0).startsWith("Winnow: INFO: no HBase server is on the class path"));
      assertTrue(said.get(1).startsWith("Winnow: WARNING: "), said.get(1));
      assertTrue(said.get(1).contains(FACTORY + ": it is loaded by java.net.URLClassLoader"));
    }
  }

  /** Puts a class of HBase, of which one member has another name, into a directory. */
  private static void overlay(Path directory, String className, String member) throws IOException {
    String file = className.replace('.', '/') + ".class";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream in = ClassLoader.getSystemResourceAsStream(file)) {
      in.transferTo(bytes);
    }
    Path target = directory.resolve(file);
    Files.createDirectories(target.getParent());
    Files.write(target, OtherAgents.renamed(bytes.toByteArray(), member));
  }

  private static void compile(Path directory, String name, String text) throws IOException {
    Path source = Files.writeString(directory.resolve(name + ".java"), text);
    int exit =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                directory.toString(),
                "-cp",
                WHOLE,
                "-proc:none",
                source.toString());
    assertEquals(0, exit, "javac");
  }
}

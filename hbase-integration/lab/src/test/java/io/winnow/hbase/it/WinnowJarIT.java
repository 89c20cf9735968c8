package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is in the agent's jar, and what is in the jar of what tries Winnow out. A server's class
 * path has the first one only.
 */
@Tag("any-hbase")
class WinnowJarIT {
  private static final String AGENT = System.getProperty("winnow.agent.jar");
  private static final String LAB = System.getProperty("winnow.lab.jar");

  /** Major versions of class files. */
  private static final int JAVA_8 = 52;

  private static final int JAVA_11 = 55;

  /** All that a server or an operator's tool uses. What is new here must be of use to them. */
  private static final Set<String> SHIPPED =
      Set.of(
          "io.winnow",
          "io.winnow.base",
          "io.winnow.hbase",
          "io.winnow.hbase.agent",
          "io.winnow.hbase.cli",
          "io.winnow.hbase.format",
          "io.winnow.hbase.hooks",
          "io.winnow.hbase.metrics",
          "io.winnow.hbase.page",
          "io.winnow.hbase.read",
          "io.winnow.hbase.settings",
          "io.winnow.hbase.tools",
          "io.winnow.hbase.write",
          "io.winnow.image",
          "io.winnow.quotient",
          "io.winnow.ribbon",
          "io.winnow.shaded.asm",
          "io.winnow.shaded.asm.signature",
          "io.winnow.shaded.codec",
          "io.winnow.shaded.codec.binary",
          "io.winnow.shaded.codec.digest",
          "io.winnow.shaded.hash4j.hashing",
          "io.winnow.shaded.hash4j.internal",
          "io.winnow.shaded.picocli");

  private static final Set<String> TRIED_OUT =
      Set.of(
          "io.winnow.cascade",
          "io.winnow.flash",
          "io.winnow.flash.bloom",
          "io.winnow.flash.buffered",
          "io.winnow.flash.bufferhash",
          "io.winnow.flash.drive",
          "io.winnow.flash.store",
          "io.winnow.hbase.command",
          "io.winnow.hbase.contest",
          "io.winnow.hbase.dedup",
          "io.winnow.hbase.dedup.bench",
          "io.winnow.hbase.quickstart",
          "io.winnow.hbase.rates",
          "io.winnow.hbase.soak",
          "io.winnow.hbase.report",
          "io.winnow.hbase.standalone",
          "io.winnow.hbase.storefile");

  /** Makes a hash function of any kind. Those that we do not ask it for are left out. */
  private static final String FACTORY_OF_ALL_HASHES = "io.winnow.shaded.hash4j.hashing.Hashing";

  private static final Predicate<String> OUR_REFERENCE =
      Pattern.compile("io\\.winnow\\.\\S+ +-> io\\.winnow\\..*").asMatchPredicate();

  @Test
  void serversGetNothingElse() throws IOException {
    assertEquals(new TreeSet<>(SHIPPED), packages(AGENT));
    Set<String> otherFiles =
        new TreeSet<>(Set.of("META-INF/LICENSE", "META-INF/MANIFEST.MF", "META-INF/NOTICE"));
    for (String tool :
        List.of("advise", "audit", "convert", "doctor", "hfile", "inspect", "plan")) {
      otherFiles.add("io/winnow/hbase/tools/help/" + tool + ".txt");
    }
    otherFiles.add("io/winnow/hbase/page/style.css");
    assertEquals(otherFiles, otherFiles(AGENT));
  }

  @Test
  void aServerOnJava11LoadsEachClass() throws IOException {
    Map<Integer, Set<String>> classes = new TreeMap<>();
    try (JarFile jar = new JarFile(AGENT)) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (entry.getName().endsWith(".class")) {
          byte[] bytes = jar.getInputStream(entry).readAllBytes();
          int version = ByteBuffer.wrap(bytes).getShort(6);
          classes.computeIfAbsent(version, any -> new TreeSet<>()).add(entry.getName());
        }
      }
    }
    assertTrue(classes.get(JAVA_8).contains("io/winnow/hbase/agent/Premain.class"));
    assertTrue(classes.get(JAVA_8).contains("io/winnow/hbase/tools/Winnow.class"));
    assertTrue(classes.get(JAVA_11).size() > 100, "of Winnow's own");
    classes.keySet().removeIf(version -> version <= JAVA_11);
    assertEquals(Map.of(), classes);
  }

  @Test
  void theRestIsInTheOtherJar() throws IOException {
    assertEquals(new TreeSet<>(TRIED_OUT), packages(LAB));
  }

  /** The parser of command lines is the operator's tools' alone: no server loads it. */
  @Test
  void theAgentLoadsNoParser() throws Exception {
    String parser = "io.winnow.shaded.picocli.";
    String[] options = {"-Xlog:class+load", "-javaagent:" + AGENT, "-cp", JavaProcess.classPath()};
    JavaProcess.Result server = JavaProcess.with(options).run(StoreFileMain.class.getName());
    assertEquals(0, server.exitCode(), server.errors());
    assertTrue(server.output().contains("io.winnow.hbase.agent.WinnowAgent "), server.output());
    assertFalse(server.output().contains(parser), server.output());
    JavaProcess.Result tool =
        JavaProcess.with(options).run("io.winnow.hbase.tools.Winnow", "audit", "--help");
    assertEquals(0, tool.exitCode(), tool.errors());
    assertTrue(tool.output().contains(parser), tool.output());
  }

  @Test
  void aToolWithoutHBaseSaysWhatItLacks() throws Exception {
    JavaProcess.Result tool =
        JavaProcess.with("-cp", AGENT).run("io.winnow.hbase.tools.Winnow", "doctor");
    assertEquals(1, tool.exitCode());
    assertEquals("", tool.output());
    assertTrue(tool.errors().startsWith("winnow: the class path lacks org.apache."), tool.errors());
    assertEquals(1, tool.errors().lines().count(), tool.errors());
  }

  @Test
  void aServerMissesNoClass() {
    assertEquals(Set.of(), missing(AGENT));
  }

  @Test
  void withTheOtherJarBesideItNoClassIsMissed() {
    assertEquals(Set.of(), missing(AGENT, LAB));
  }

  @Test
  void eachHashOfTheJarHashesKeysOfEachLength() {
    byte[] bytes = new byte[2100];
    new Random(1).nextBytes(bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    assertTrue(
        KeyHash.class
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .getPath()
            .endsWith("winnow-hbase.jar"));
    for (String label : KeyHash.labels()) {
      KeyHash hash = KeyHash.ofLabel(label);
      Set<Long> hashes = new HashSet<>();
      for (int length = 0; length <= bytes.length; length++) {
        long ofArray = hash.hash(bytes, 0, length);
        assertEquals(ofArray, hash.hash(direct, 0, length));
        assertTrue(hashes.add(ofArray));
      }
    }
  }

  @Test
  void theJarIsAModule() {
    ModuleDescriptor module =
        ModuleFinder.of(Path.of(AGENT)).find("io.winnow.hbase").orElseThrow().descriptor();
    assertTrue(module.packages().contains("io.winnow.hbase.agent"));
  }

  private static Set<String> packages(String jar) throws IOException {
    try (JarFile file = new JarFile(jar)) {
      return file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.endsWith(".class"))
          .map(name -> name.substring(0, name.lastIndexOf('/')).replace('/', '.'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Set<String> otherFiles(String jar) throws IOException {
    try (JarFile file = new JarFile(jar)) {
      return file.stream()
          .filter(entry -> !entry.isDirectory() && !entry.getName().endsWith(".class"))
          .map(entry -> entry.getName())
          .collect(Collectors.toSet());
    }
  }

  /** The classes of ours and of our libraries that the jars refer to and that are in none. */
  private static Set<String> missing(String... jars) {
    List<String> arguments = new ArrayList<>(List.of("-verbose:class", "-filter:none"));
    arguments.addAll(List.of(jars));
    StringWriter output = new StringWriter();
    PrintWriter out = new PrintWriter(output);
    ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
    assertEquals(0, jdeps.run(out, out, arguments.toArray(String[]::new)), output.toString());
    List<String> references =
        output.toString().lines().map(String::strip).filter(OUR_REFERENCE).toList();
    assertTrue(references.size() > 100, "jdeps tells of too few references");
    return references.stream()
        .filter(reference -> reference.endsWith("not found"))
        .filter(reference -> !reference.startsWith(FACTORY_OF_ALL_HASHES + " "))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}

package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each member of HBase that we use is looked up in the published jars of HBase's lines: also of
 * those of which too little is published to run them. Such a line has its jars of other versions
 * from the class path, or from 3.0.0-beta-1.
 */
class OtherLinesLinkTest {

  /** The features that are off, with what they miss; the agent says so at start. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          2.5.13-hadoop3, 2.6.4,        REMEMBERED_CHUNKS
          2.6.5,          2.6.4,
          2.6.6,          2.6.4,
          3.0.0-beta-1,   3.0.0-beta-1, FALSE_POSITIVES METRICS PAGE REMEMBERED_CHUNKS SCAN_METRICS STORE_RATES
          3.0.0,          3.0.0-beta-1,
          """)
  void everyMemberIsThere(String version, String siblings, String featuresThatAreOff)
      throws IOException {
    Set<String> off = featuresThatAreOff == null ? Set.of() : Set.of(featuresThatAreOff.split(" "));
    try (URLClassLoader line =
        new URLClassLoader(
            jars(version, siblings.startsWith("3") ? siblings : null),
            ClassLoader.getPlatformClassLoader())) {
      ClassFiles ours = ClassFiles.of(ClassLoader.getSystemClassLoader());
      Map<Feature, Set<String>> problems =
          new LinkCheck(new ClassShapes(ours, ClassFiles.of(line))).problems();
      Set<String> found =
          problems.keySet().stream()
              .map(Feature::name)
              .collect(Collectors.toCollection(TreeSet::new));
      assertEquals(new TreeSet<>(off), found, () -> "with HBase " + version + ": " + problems);
    }
  }

  /** The operator's tools, which need a whole HBase 2. */
  @ParameterizedTest
  @ValueSource(strings = {"2.5.13-hadoop3", "2.6.5", "2.6.6"})
  void toolsMissNothing(String version) throws IOException {
    try (URLClassLoader line =
        new URLClassLoader(jars(version, null), ClassLoader.getPlatformClassLoader())) {
      ClassFiles ours = ClassFiles.of(ClassLoader.getSystemClassLoader());
      LinkCheck check = new LinkCheck(new ClassShapes(ours, ClassFiles.of(line)));
      Set<String> missing = check.problemsOf(Set.of("io/winnow/hbase/tools/Winnow"));
      check.problems().values().forEach(missing::removeAll); // of features that are off then
      assertEquals(Set.of(), missing);
    }
  }

  /** hbase-server of a version, its siblings, and what else is on the class path. */
  private static URL[] jars(String version, String siblings) throws IOException {
    List<Path> jars = new ArrayList<>();
    jars.add(OtherLines.jar("hbase-server", version));
    if (siblings != null) {
      for (String artifact : OtherLines.artifactsOf(siblings)) {
        if (!artifact.equals("hbase-server")) {
          jars.add(OtherLines.jar(artifact, siblings));
        }
      }
    }
    List<String> replaced =
        jars.stream().map(jar -> jar.getFileName().toString().replaceAll("-\\d.*", "")).toList();
    for (Path jar : jars) {
      assertTrue(Files.exists(jar), jar.toString());
    }
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
      String name = Path.of(element).getFileName().toString();
      if (name.endsWith(".jar") && !replaced.contains(name.replaceAll("-\\d.*", ""))) {
        jars.add(Path.of(element));
      }
    }
    URL[] urls = new URL[jars.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = jars.get(i).toUri().toURL();
    }
    return urls;
  }
}

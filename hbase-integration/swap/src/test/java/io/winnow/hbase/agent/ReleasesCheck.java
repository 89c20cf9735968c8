package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.versions.VersionsTable.Release;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Links Winnow with each release of HBase in {@code docs/releases.csv}: what is woven has a shape
 * that we know, and every class, method and field is there that a class of winnow-hbase.jar uses.
 * The jars come from Maven's repositories, a few hundred megabytes the first time; so this is no
 * part of the build: docs/design/testing.md.
 */
class ReleasesCheck {
  private static final Path CSV = Path.of("..", "..", "docs", "releases.csv");
  private static final Path DIRECTORY = Path.of("target", "releases").toAbsolutePath();

  /** What our classes use of HBase is in these. */
  private static final List<String> SIBLINGS =
      List.of(
          "hbase-client",
          "hbase-common",
          "hbase-hadoop-compat",
          "hbase-http",
          "hbase-logging",
          "hbase-metrics",
          "hbase-metrics-api",
          "hbase-protocol-shaded");

  private static final List<Release> FOUND = new ArrayList<>();

  static List<Release> releases() throws IOException {
    return Release.read(CSV);
  }

  @BeforeAll
  static void fetchTheJars() throws Exception {
    StringBuilder modules = new StringBuilder();
    for (Release release : releases()) {
      StringBuilder wanted = new StringBuilder(dependency("hbase-server", release.server()));
      wanted.append(dependency("hbase-mapreduce", release.mapreduce()));
      for (String sibling : SIBLINGS) {
        if (!release.rest().startsWith("3.") || !sibling.equals("hbase-http")) { // not published
          wanted.append(dependency(sibling, release.rest()));
        }
      }
      Path module = Files.createDirectories(DIRECTORY.resolve(release.server()));
      pom(module, release.server(), "<dependencies>" + wanted + "</dependencies>");
      modules.append("<module>").append(release.server()).append("</module>");
    }
    pom(DIRECTORY, "all", "<packaging>pom</packaging><modules>" + modules + "</modules>");
    Process maven =
        new ProcessBuilder(
                Path.of("..", "..", "mvnw").toString(),
                "-B",
                "-q",
                "-f",
                DIRECTORY.resolve("pom.xml").toString(),
                "org.apache.maven.plugins:maven-dependency-plugin:3.7.0:build-classpath",
                "-Dmdep.outputFile=jars")
            .inheritIO()
            .start();
    assertEquals(0, maven.waitFor(), "Maven's exit code");
  }

  private static void pom(Path directory, String name, String rest) throws IOException {
    Files.writeString(
        directory.resolve("pom.xml"),
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>io.winnow.releases</groupId>
          <artifactId>%s</artifactId>
          <version>1</version>
          %s
        </project>
        """
            .formatted(name, rest));
  }

  /** The jar alone: what HBase is built on is that of the tests. */
  private static String dependency(String artifact, String version) {
    return """
<dependency>
  <groupId>org.apache.hbase</groupId>
  <artifactId>%s</artifactId>
  <version>%s</version>
  <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
</dependency>
"""
        .formatted(artifact, version);
  }

  @AfterAll
  static void writeDownWhatWasFound() throws IOException {
    Release.write(DIRECTORY.resolve("releases.csv"), FOUND);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void linksAndIsWoven(Release release) throws IOException {
    try (URLClassLoader hbase = loader(release)) {
      Fit fit = Fit.of(hbase);
      assertNull(fit.refusal);
      FOUND.add(
          release.withOff(fit.off.isEmpty() ? "nothing" : String.join("; ", fit.off.keySet())));
      assertEquals(release.server(), fit.hbase);
      assertEquals(release.off(), FOUND.get(FOUND.size() - 1).off(), () -> fit.off.toString());
      if (release.server().startsWith("2.")) {
        ClassFiles ours = ClassFiles.of(ClassLoader.getSystemClassLoader());
        LinkCheck check = new LinkCheck(new ClassShapes(ours, ClassFiles.of(hbase)));
        Set<String> missing = check.problemsOf(classesOfTheJar());
        if (hbase.getResource(Feature.SCAN_METRICS.subject() + ".class") == null) {
          missing.removeAll(check.problemsOf(Feature.SCAN_METRICS.entries));
        }
        assertEquals(Set.of(), missing);
      }
    }
  }

  private static Set<String> classesOfTheJar() throws IOException {
    Path root = Path.of("target", "classes");
    Set<String> classes = new TreeSet<>();
    try (Stream<Path> files = Files.walk(root)) {
      files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(file -> file.endsWith(".class") && !file.endsWith("package-info.class"))
          .forEach(file -> classes.add(file.substring(0, file.length() - ".class".length())));
    }
    assertTrue(classes.contains("io/winnow/hbase/tools/Tools"), classes.toString());
    return classes;
  }

  private static URLClassLoader loader(Release release) throws IOException {
    String jars = Files.readString(DIRECTORY.resolve(release.server()).resolve("jars"));
    return OtherLines.loader(
        Stream.of(jars.strip().split(":")).map(Path::of).collect(Collectors.toList()));
  }
}

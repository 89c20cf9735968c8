package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.winnow.hbase.versions.VersionsTable.Release;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each member of HBase that we use is looked up in the published jars of HBase's lines: also of
 * those of which too little is published to run them. Such a line has its jars of other versions
 * from the class path, or from 3.0.0-beta-1.
 */
class OtherLinesLinkTest {

  /** The features that are off, in the agent's words, are those of {@code docs/releases.csv}. */
  @ParameterizedTest
  @ValueSource(strings = {"2.5.13-hadoop3", "2.6.5", "2.6.6", "3.0.0-beta-1", "3.0.0"})
  void everyMemberIsThere(String version) throws IOException {
    Release release =
        Release.read(Path.of("..", "..", "docs", "releases.csv")).stream()
            .filter(one -> one.server().equals(version))
            .findAny()
            .orElseThrow();
    try (URLClassLoader line = line(version, version.startsWith("3") ? release.rest() : null)) {
      Fit fit = Fit.of(line);
      assertNull(fit.refusal);
      assertEquals(version, fit.hbase);
      String off = fit.off.isEmpty() ? "nothing" : String.join("; ", fit.off.keySet());
      assertEquals(release.off(), off, () -> "with HBase " + version + ": " + fit.off);
    }
  }

  /** The operator's tools, which need a whole HBase 2. */
  @ParameterizedTest
  @ValueSource(strings = {"2.5.13-hadoop3", "2.6.5", "2.6.6"})
  void toolsMissNothing(String version) throws IOException {
    try (URLClassLoader line = line(version, null)) {
      ClassFiles ours = ClassFiles.of(ClassLoader.getSystemClassLoader());
      LinkCheck check = new LinkCheck(new ClassShapes(ours, ClassFiles.of(line)));
      Set<String> missing = check.problemsOf(Set.of("io/winnow/hbase/tools/Tools"));
      check.problems().values().forEach(missing::removeAll); // of features that are off then
      assertEquals(Set.of(), missing);
    }
  }

  /** hbase-server of a version, its siblings, and what else is on the class path. */
  private static URLClassLoader line(String version, String siblings) throws IOException {
    List<Path> jars = new ArrayList<>();
    jars.add(OtherLines.jar("hbase-server", version));
    if (siblings != null) {
      for (String artifact : OtherLines.artifactsOf(siblings)) {
        if (!artifact.equals("hbase-server")) {
          jars.add(OtherLines.jar(artifact, siblings));
        }
      }
    }
    return OtherLines.loader(jars);
  }
}

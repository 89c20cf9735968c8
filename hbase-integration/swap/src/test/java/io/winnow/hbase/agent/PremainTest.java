package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a JVM that is too old must be able to load and run; AgentStartIT runs it. */
class PremainTest {
  private static final String PREMAIN = "io/winnow/hbase/agent/Premain";
  private static final String TOOLS = "io/winnow/hbase/tools/Winnow";

  private static byte[] classFile(String name) throws IOException {
    return ClassFiles.of(PremainTest.class.getClassLoader()).find(name);
  }

  private static int majorVersion(String name) throws IOException {
    return ByteBuffer.wrap(classFile(name)).getShort(6);
  }

  @Test
  void isAClassOfJava8AndTheOthersAreNot() throws IOException {
    assertEquals(52, majorVersion(PREMAIN));
    assertEquals(52, majorVersion(TOOLS));
    assertEquals(55, majorVersion("io/winnow/hbase/agent/WinnowAgent"));
    assertEquals(55, majorVersion("io/winnow/hbase/tools/Tools"));
  }

  @Test
  void namesNoOtherClassOfOurs() throws IOException {
    assertEquals(Set.of(PREMAIN), classesNamedBy(PREMAIN));
    assertEquals(Set.of(PREMAIN, TOOLS), classesNamedBy(TOOLS));
  }

  private static Set<String> classesNamedBy(String name) throws IOException {
    Set<String> classes = new HashSet<>(new ClassShape(classFile(name)).classes());
    classes.removeIf(one -> one.matches("(\\[L)?java/.*"));
    return classes;
  }

  /** What docs/design/agent.md and operate.md tell operators to write. */
  @Test
  void eachFeatureButTheFiltersHasANameToSwitchItOff() {
    Set<String> labels = new HashSet<>();
    for (Feature feature : Feature.values()) {
      assertTrue(feature.label.matches("[a-z]+(-[a-z]+)*"), feature.label);
      assertTrue(labels.add(feature.label));
    }
    assertTrue(labels.containsAll(Set.of("filters", "false-positive-count", "page")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.7", "1.8", "9", "10"})
  void tooOld(String version) {
    assertTrue(Premain.isTooOld(version));
  }

  @ParameterizedTest
  @ValueSource(strings = {"11", "17", "18", "25", "100", "", "what"})
  void notTooOld(String version) {
    assertFalse(Premain.isTooOld(version));
  }

  @Test
  void theJvmOfThisTestIsNotTooOld() {
    assertFalse(Premain.isTooOld(System.getProperty("java.specification.version")));
    assertFalse(Premain.isTooOld(null));
  }
}

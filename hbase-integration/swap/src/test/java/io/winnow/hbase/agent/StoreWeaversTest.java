package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes that flush and compact, of every line of HBase. */
class StoreWeaversTest {
  private static final String HERE = "on the class path";

  private static byte[] classFile(String version, String name) throws IOException {
    return version.equals(HERE)
        ? WovenFactory.stockBytes(name)
        : OtherLines.classFile(version, name);
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void methodsAreThereOnEveryLine(String version) throws IOException {
    byte[] engine = classFile(version, WovenFactory.row("StoreEngine").target());
    assertNull(WovenFactory.row("StoreEngine").weaver.problemWith(engine));
    assertEquals(
        List.of("createWriter: createsWriter"),
        WovenFactory.hooks(WovenFactory.row("StoreEngine").weaver.weave(engine)));
    byte[] compactor = classFile(version, WovenFactory.row("Compactor").target());
    assertNull(WovenFactory.row("Compactor").weaver.problemWith(compactor));
    assertEquals(
        List.of("compact: compacts"),
        WovenFactory.hooks(WovenFactory.row("Compactor").weaver.weave(compactor)));
  }

  @Test
  void otherClassesAreRefusedInWords() {
    String words = "it calls itself " + BloomFilterFactoryWeaver.TARGET.replace('/', '.');
    assertEquals(
        words, WovenFactory.row("StoreEngine").weaver.problemWith(WovenFactory.stockBytes()));
    assertEquals(
        words, WovenFactory.row("Compactor").weaver.problemWith(WovenFactory.stockBytes()));
    assertTrue(
        WovenFactory.row("StoreEngine")
            .weaver
            .problemWith(new byte[7])
            .startsWith("it is not a class file"));
  }
}

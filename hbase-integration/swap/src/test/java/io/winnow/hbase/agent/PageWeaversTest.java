package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes that are woven for the page, of every line of HBase. */
class PageWeaversTest {
  private static final String HERE = "on the class path";
  private static final String LINK =
      "href=\"/dump\">Debug Dump</a></li>"
          + "<li class=\"nav-item\"><a class=\"nav-link\" href=\"/winnow\">Winnow</a></li>";

  private static byte[] classFile(String version, String name) {
    return version.equals(HERE)
        ? WovenFactory.stockBytes(name)
        : OtherLines.classFile(version, name);
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void serverPutsUpThePageOnEveryLine(String version) {
    byte[] stock = classFile(version, WovenFactory.row("HRegionServer").target());
    assertNull(WovenFactory.row("HRegionServer").weaver.problemWith(stock));
    assertEquals(
        List.of("configureInfoServer: putsUpPages"),
        WovenFactory.hooks(WovenFactory.row("HRegionServer").weaver.weave(stock)));
  }

  @ParameterizedTest
  @CsvSource({
    "on the class path, true",
    "2.5.13-hadoop3, true",
    "3.0.0-beta-1, true",
    "3.0.0, false" // there its page has the bar of all
  })
  void barsGetTheLinkOnEveryLine(String version, boolean hasStatusPage) {
    assertLink(version, PageLinkWeaver.BAR);
    if (hasStatusPage) {
      assertLink(version, PageLinkWeaver.STATUS_OF_2);
    }
  }

  private static void assertLink(String version, String target) {
    byte[] stock = classFile(version, target);
    assertNull(new PageLinkWeaver(target).problemWith(stock));
    byte[] woven = new PageLinkWeaver(target).weave(stock);
    assertEquals(-1, text(stock).indexOf(LINK));
    assertTrue(text(woven).contains(LINK), target);
    assertEquals(List.of(), WovenFactory.hooks(woven)); // no code of ours
    assertNull(new PageLinkWeaver(target).problemWith(woven));
  }

  /** Texts stand in a class file as they are. */
  private static String text(byte[] classFile) {
    return new String(classFile, StandardCharsets.ISO_8859_1);
  }

  @Test
  void otherClassesAreRefusedInWords() {
    String words = "it calls itself " + BloomFilterFactoryWeaver.TARGET.replace('/', '.');
    assertEquals(
        words, WovenFactory.row("HRegionServer").weaver.problemWith(WovenFactory.stockBytes()));
    assertEquals(
        words, new PageLinkWeaver(PageLinkWeaver.BAR).problemWith(WovenFactory.stockBytes()));
    assertEquals(
        "it has 0 links to the debug dump, and not one to stand beside",
        new PageLinkWeaver(BloomFilterFactoryWeaver.TARGET).problemWith(WovenFactory.stockBytes()));
    assertTrue(
        WovenFactory.row("HRegionServer")
            .weaver
            .problemWith(new byte[7])
            .startsWith("it is not a class file"));
  }
}

package io.winnow.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The golden files of each version are there for ever, byte for byte, and the tests named {@code
 * Golden*} read each of them. A listing per version names them with their sums; {@code
 * -Dwinnow.golden.write=true} writes that of the version which is being made, and no other.
 */
class ReleasedFilesTest {
  private static final Path HOME = Path.of("..", "..").normalize();
  private static final Path LISTINGS = Path.of("src/test/resources/released");
  private static final List<String> GOLDEN =
      List.of(
          "filter-core/src/test/resources/golden",
          "hbase-integration/swap/src/test/resources/golden");

  /** By their paths, their sums; READMEs may change. */
  private static Map<String, String> files() throws IOException, NoSuchAlgorithmException {
    Map<String, String> sums = new TreeMap<>();
    for (String directory : GOLDEN) {
      try (Stream<Path> files = Files.walk(HOME.resolve(directory))) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          if (!file.endsWith("README.md")) {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            String path = HOME.relativize(file).toString();
            sums.put(path, HexFormat.of().formatHex(sum));
          }
        }
      }
    }
    assertTrue(sums.size() > 50, sums::toString);
    return sums;
  }

  private static Map<String, String> listed(Path listing) throws IOException {
    Map<String, String> sums = new TreeMap<>();
    for (String line : Files.readAllLines(listing)) {
      sums.put(line.split("  ", 2)[1], line.split("  ", 2)[0]);
    }
    return sums;
  }

  private static Path listingOfThisVersion() throws IOException {
    Matcher version =
        Pattern.compile("<artifactId>winnow-parent</artifactId>\\s*<version>([0-9.]+)")
            .matcher(Files.readString(HOME.resolve("pom.xml")));
    assertTrue(version.find());
    return LISTINGS.resolve(version.group(1) + ".txt");
  }

  @Test
  void eachFileOfEachVersionIsThereAsItWas() throws Exception {
    Map<String, String> files = files();
    try (Stream<Path> listings = Files.list(LISTINGS)) {
      for (Path listing : listings.toList()) {
        Map<String, String> lost = listed(listing);
        lost.entrySet().removeAll(files.entrySet());
        assertEquals(Map.of(), lost, listing + ": files that are gone, or have other bytes");
      }
    }
  }

  @Test
  void theListingOfThisVersionIsComplete() throws Exception {
    Map<String, String> files = files();
    Path listing = listingOfThisVersion();
    if (Boolean.getBoolean("winnow.golden.write")) {
      List<String> lines =
          files.entrySet().stream().map(file -> file.getValue() + "  " + file.getKey()).toList();
      Files.write(listing, lines);
    }
    assertEquals(files, listed(listing));
  }
}

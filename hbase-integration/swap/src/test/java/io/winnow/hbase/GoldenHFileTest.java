package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Store files with their filters, asked through HBase, and through plain code that goes the whole
 * way from a row to an answer by itself. Their README has keys, hashes, chunks and answers for a
 * reader in another language. Files are only ever added: {@code -Dwinnow.golden.write=true} writes
 * those that do not exist.
 */
class GoldenHFileTest {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden/hfile-v1");
  private static final Path SEEDED = Path.of("src/test/resources/golden/hfile-v2");
  private static final String GENERAL = "BLMFMET2";
  private static final String DELETE_FAMILY = "DFBLMET2";
  private static final int BUMPED_ROWS = 5000;
  private static final int RIBBON_ROWS = 500;
  private static final byte[] NOTHING = {};

  @TempDir private Path temporary;

  private static byte[] row(int i) {
    return bytes(String.format(Locale.ROOT, "r%07d", i));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static KeyValue put(byte[] row, String qualifier) {
    return new KeyValue(row, StoreFiles.FAMILY, bytes(qualifier), 1, NOTHING);
  }

  private static Configuration conf(String filter, int chunkBytes) {
    return conf(filter, chunkBytes, "xxh3");
  }

  private static Configuration conf(String filter, int chunkBytes, String hash) {
    return StoreFiles.conf(
        Map.of(
            "winnow.filter",
            filter,
            "winnow.hash",
            hash,
            "io.storefile.bloom.block.size",
            Integer.toString(chunkBytes),
            "io.storefile.bloom.error.rate",
            "0.01"));
  }

  private byte[] read(String name, Configuration conf, BloomType type, StoreFiles.Content content)
      throws IOException {
    return read(DIRECTORY.resolve(name), conf, type, content);
  }

  private byte[] read(Path golden, Configuration conf, BloomType type, StoreFiles.Content content)
      throws IOException {
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(golden)) {
      Files.createDirectories(golden.getParent());
      Files.copy(Path.of(StoreFiles.write(temporary, conf, type, content).toUri()), golden);
    }
    return Files.readAllBytes(golden);
  }

  private byte[] bumped() throws IOException {
    return read(
        "bumped-ribbon.hfile", conf("bumped-ribbon", 2048), BloomType.ROW, this::bumpedRows);
  }

  /** The same rows, in format 2: their hash has a seed, which is new where the file is. */
  private byte[] seeded() throws IOException {
    return read(
        SEEDED.resolve("bumped-ribbon.hfile"),
        conf("bumped-ribbon", 2048, "xxh3-seeded"),
        BloomType.ROW,
        this::bumpedRows);
  }

  private void bumpedRows(StoreFileWriter writer) throws IOException {
    for (int i = 0; i < BUMPED_ROWS; i++) {
      if (i % 25 == 0) {
        writer.append(StoreFiles.deleteFamily(row(2 * i)));
      }
      writer.append(put(row(2 * i), ""));
    }
  }

  private byte[] ribbon() throws IOException {
    return read(
        "ribbon.hfile",
        conf("ribbon", 512),
        BloomType.ROWCOL,
        writer -> {
          for (int i = 0; i < RIBBON_ROWS; i++) {
            if (i % 5 == 0) {
              writer.append(StoreFiles.deleteFamily(row(2 * i)));
            }
            writer.append(put(row(2 * i), "col1"));
            writer.append(put(row(2 * i), "col2"));
          }
        });
  }

  /** HBase takes a store file for one by its path and its name. */
  private HStoreFile open(byte[] bytes, BloomType type) throws IOException {
    Path family = Files.createDirectories(temporary.resolve("open").resolve("f"));
    Path file = Files.write(family.resolve("0123456789abcdef0123456789abcdef"), bytes);
    return StoreFiles.open(
        StoreFiles.conf(Map.of()),
        new org.apache.hadoop.fs.Path(file.toUri()),
        type,
        new BloomFilterMetrics());
  }

  @Test
  void rowsOfTheBumpedFileAreFoundAndAnswersAreAsPlainCodeHasThem() throws IOException {
    assertAnswersAsPlainCode(bumped());
  }

  @Test
  void rowsOfTheSeededFileAreFoundAndAnswersAreAsPlainCodeHasThem() throws IOException {
    byte[] bytes = seeded();
    assertEquals(2, bytes[new PlainHFileFilter(bytes, GENERAL).meta + 8]);
    assertAnswersAsPlainCode(bytes);
  }

  private void assertAnswersAsPlainCode(byte[] bytes) throws IOException {
    PlainHFileFilter rows = new PlainHFileFilter(bytes, GENERAL);
    PlainHFileFilter deletes = new PlainHFileFilter(bytes, DELETE_FAMILY);
    assertEquals(BUMPED_ROWS, rows.keys);
    assertEquals(BUMPED_ROWS / 25, deletes.keys);
    HStoreFile file = open(bytes, BloomType.ROW);
    StoreFileReader reader = file.getReader();
    assertInstanceOf(WinnowFilterReader.class, StoreFileDoor.generalFilter(reader));
    for (int i = 0; i < 2 * BUMPED_ROWS - 1; i++) {
      boolean answer = rows.mightContain(row(i), NOTHING);
      assertTrue(answer || i % 2 == 1, "row " + i);
      assertEquals(answer, StoreFileDoor.passes(reader, row(i), null), "row " + i);
      boolean isDeleted = deletes.mightContain(row(i), NOTHING);
      assertTrue(isDeleted || i % 50 != 0, "row " + i);
      assertEquals(isDeleted, reader.passesDeleteFamilyBloomFilter(row(i), 0, 8), "row " + i);
    }
    file.closeStoreFile(true);
  }

  /** Prefixes of 6 bytes: first of one row each, then of 50. */
  private byte[] prefixed() throws IOException {
    Configuration conf = conf("bumped-ribbon", 512, "xxh3-seeded");
    conf.set("winnow.scan.prefix", "6");
    return read(
        SEEDED.resolve("prefixes.hfile"),
        conf,
        BloomType.ROW,
        writer -> {
          for (int i = 0; i < 800; i++) {
            writer.append(put(bytes(String.format(Locale.ROOT, "a%05d-0", i)), ""));
          }
          for (int i = 0; i < BUMPED_ROWS; i++) {
            writer.append(put(row(2 * i), ""));
          }
        });
  }

  @Test
  void prefixesOfTheGoldenFileAreFoundAndAnswersAreAsPlainCodeHasThem() throws IOException {
    byte[] bytes = prefixed();
    PlainHFileFilter rows = new PlainHFileFilter(bytes, GENERAL);
    assertEquals(800 + BUMPED_ROWS, rows.keys);
    assertEquals(6, rows.prefixNumber);
    assertTrue(rows.prefixes.contains(-1) && rows.prefixes.stream().anyMatch(count -> count > 0));
    HStoreFile file = open(bytes, BloomType.ROW);
    StoreFileReader reader = file.getReader();
    int no = 0;
    for (char first : "abqrs".toCharArray()) {
      for (int i = 0; i < 1000; i++) {
        byte[] prefix = bytes(String.format(Locale.ROOT, "%c%05d", first, i));
        boolean answer = rows.mightHavePrefix(prefix);
        assertTrue(
            answer || !(first == 'a' && i < 800 || first == 'r' && i < BUMPED_ROWS / 50),
            first + " " + i);
        Scan scan = new Scan().setStartStopRowForPrefixScan(prefix);
        assertEquals(answer, StoreFileDoor.passes(reader, scan), first + " " + i);
        no += answer ? 0 : 1;
      }
    }
    assertTrue(no > 1500, no + " prefixes that are not there");
    for (int i = 0; i < 2 * BUMPED_ROWS; i++) {
      boolean answer = rows.mightContain(row(i), NOTHING);
      assertTrue(answer || i % 2 == 1, "row " + i);
      assertEquals(answer, StoreFileDoor.passes(reader, row(i), null), "row " + i);
    }
    file.closeStoreFile(true);
  }

  @Test
  void columnsOfTheRibbonFileAreFoundAndAnswersAreAsPlainCodeHasThem() throws IOException {
    byte[] bytes = ribbon();
    PlainHFileFilter columns = new PlainHFileFilter(bytes, GENERAL);
    assertEquals(2 * RIBBON_ROWS + RIBBON_ROWS / 5, columns.keys);
    HStoreFile file = open(bytes, BloomType.ROWCOL);
    StoreFileReader reader = file.getReader();
    assertInstanceOf(WinnowFilterReader.class, StoreFileDoor.generalFilter(reader));
    for (int i = 0; i < 2 * RIBBON_ROWS - 1; i++) {
      for (String qualifier : List.of("col0", "col1", "col2", "col3")) {
        boolean isThere = i % 2 == 0 && (qualifier.equals("col1") || qualifier.equals("col2"));
        boolean answer = columns.mightContain(row(i), bytes(qualifier));
        assertTrue(answer || !isThere, "row " + i + " " + qualifier);
        assertEquals(
            answer || columns.mightContain(row(i), NOTHING), // HBase asks for both
            StoreFileDoor.passes(reader, row(i), bytes(qualifier)));
      }
    }
    file.closeStoreFile(true);
  }

  // ---- The format page ----

  @Test
  void thePageShowsAMetaBlockAndTheBeginningOfItsChunk() throws IOException {
    byte[] bytes = bumped();
    String page = Files.readString(Path.of("../../docs/format/hfile-meta-v2.md"));
    PlainHFileFilter deletes = new PlainHFileFilter(bytes, DELETE_FAMILY);
    String meta = dump(Arrays.copyOfRange(bytes, deletes.meta, deletes.meta + 160));
    assertTrue(page.contains("```\n" + meta + "```\n"), meta);
    int block = (int) deletes.chunks.get(0).offset();
    String chunk = dump(Arrays.copyOfRange(bytes, block, block + 64));
    assertTrue(page.contains("```\n" + chunk + "```\n"), chunk);
    for (String row : List.of("r0000050", "r0000002")) {
      String hash = String.format("0x%016X", deletes.hash(bytes(row), NOTHING));
      assertTrue(page.contains(hash), hash);
    }
  }

  @Test
  void thePageOfFormat2ShowsTheBeginningOfAMetaBlock() throws IOException {
    byte[] bytes = seeded();
    String page = Files.readString(Path.of("../../docs/format/hfile-meta-v2.md"));
    PlainHFileFilter deletes = new PlainHFileFilter(bytes, DELETE_FAMILY);
    String meta = dump(Arrays.copyOfRange(bytes, deletes.meta, deletes.meta + 80));
    assertTrue(page.contains("```\n" + meta + "```\n"), meta);
    assertTrue(page.contains(String.format("0x%016X", deletes.seed)));
    for (String row : List.of("r0000050", "r0000002")) {
      String hash = String.format("0x%016X", deletes.hash(bytes(row), NOTHING));
      assertTrue(page.contains(hash), hash);
    }
  }

  private static String dump(byte[] bytes) {
    StringBuilder dump = new StringBuilder();
    for (int at = 0; at < bytes.length; at += 16) {
      String hex = HexFormat.ofDelimiter(" ").formatHex(bytes, at, at + 16);
      dump.append(String.format("%4d  %s\n", at, hex));
    }
    return dump.toString();
  }

  /** As the page has it: 4 bytes, the most significant one first. */
  @Test
  void thePrefixLengthIsBigEndianInTheFileInfo() throws IOException {
    Configuration conf =
        StoreFiles.conf(
            Map.of("winnow.filter", "ribbon", "RowPrefixBloomFilter.prefix_length", "5"));
    var path =
        StoreFiles.write(
            temporary,
            conf,
            BloomType.ROWPREFIX_FIXED_LENGTH,
            writer -> writer.append(put(row(1), "")));
    HStoreFile file =
        StoreFiles.open(conf, path, BloomType.ROWPREFIX_FIXED_LENGTH, new BloomFilterMetrics());
    var info = file.getReader().getHFileReader().getHFileInfo();
    assertArrayEquals(new byte[] {0, 0, 0, 5}, info.get(HStoreFile.BLOOM_FILTER_PARAM_KEY));
    assertArrayEquals(new byte[8], info.get(HStoreFile.DELETE_FAMILY_COUNT));
    file.closeStoreFile(true);
  }

  // ---- The README ----

  @Test
  void theReadmesChunksAreThoseOfTheFiles() throws IOException {
    String readme = readme();
    for (var filter :
        List.of(
            new PlainHFileFilter(bumped(), GENERAL),
            new PlainHFileFilter(bumped(), DELETE_FAMILY),
            new PlainHFileFilter(ribbon(), GENERAL))) {
      for (int i = 0; i < filter.chunks.size(); i++) {
        PlainHFileFilter.Chunk chunk = filter.chunks.get(i);
        String line =
            String.format(
                Locale.ROOT,
                "| %d | %d | %d | %d | %d | `%08x` | `%s` |\n",
                i,
                chunk.offset(),
                chunk.onDiskSize(),
                chunk.imageSize(),
                chunk.keys(),
                chunk.crc(),
                HexFormat.of().formatHex(chunk.firstKey()));
        assertTrue(readme.contains(line), line);
      }
    }
  }

  @Test
  void theReadmesAnswersAreThoseOfTheFiles() throws IOException {
    checkAnswers("### Rows", new PlainHFileFilter(bumped(), GENERAL));
    checkAnswers("### Delete-family markers", new PlainHFileFilter(bumped(), DELETE_FAMILY));
    checkAnswers("### Columns", new PlainHFileFilter(ribbon(), GENERAL));
  }

  private static void checkAnswers(String heading, PlainHFileFilter filter) throws IOException {
    checkAnswers(readme(), heading, filter);
  }

  private static void checkAnswers(String readme, String heading, PlainHFileFilter filter) {
    int from = readme.indexOf(heading + "\n");
    assertTrue(from >= 0, heading);
    int to = readme.indexOf("\n#", from + 1);
    List<String[]> rows =
        readme
            .substring(from, to < 0 ? readme.length() : to)
            .lines()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.replace("`", "").split(" *\\| *", -1))
            .toList();
    assertTrue(rows.size() >= 5, heading);
    for (String[] cells : rows) {
      byte[] row = bytes(cells[1]);
      byte[] qualifier = bytes(cells[2]);
      assertEquals(cells[3], String.format("%016x", filter.hash(row, qualifier)), cells[1]);
      int chunk = filter.chunkOf(row, qualifier);
      assertEquals(cells[4], chunk < 0 ? "none" : Integer.toString(chunk), cells[1]);
      assertEquals(cells[5], filter.mightContain(row, qualifier) ? "maybe" : "no", cells[1]);
    }
  }

  /** All of them, so that a reader's every answer can be compared. */
  @Test
  void theReadmeListsEachFalsePositive() throws IOException {
    PlainHFileFilter rows = new PlainHFileFilter(bumped(), GENERAL);
    PlainHFileFilter deletes = new PlainHFileFilter(bumped(), DELETE_FAMILY);
    PlainHFileFilter columns = new PlainHFileFilter(ribbon(), GENERAL);
    checkList(
        IntStream.range(0, 2 * BUMPED_ROWS)
            .filter(i -> i % 2 == 1 && rows.mightContain(row(i), NOTHING)));
    checkList(
        IntStream.range(0, 2000).filter(i -> i % 50 != 0 && deletes.mightContain(row(i), NOTHING)));
    checkList(
        IntStream.range(0, 2 * RIBBON_ROWS)
            .filter(i -> columns.mightContain(row(i), bytes("col3"))));
  }

  private static void checkList(IntStream numbers) throws IOException {
    String list = numbers.mapToObj(Integer::toString).collect(Collectors.joining(" "));
    String words = Arrays.stream(readme().split("\\s+")).collect(Collectors.joining(" "));
    assertTrue(list.length() > 0 && words.contains(": " + list + "."), list);
  }

  @Test
  void theSeededReadmesAnswersAreThoseOfTheFile() throws IOException {
    String readme = Files.readString(SEEDED.resolve("README.md"));
    checkAnswers(readme, "## Rows", new PlainHFileFilter(seeded(), GENERAL));
    checkAnswers(readme, "## Delete-family markers", new PlainHFileFilter(seeded(), DELETE_FAMILY));
  }

  private static String readme() throws IOException {
    return Files.readString(DIRECTORY.resolve("README.md"));
  }

  /** The example of a reader on the format pages, where there is a Python to run it. */
  @Test
  void theExampleInPythonAnswersAsTheReadmeSays() throws Exception {
    assumePython();
    String script = Path.of("../../docs/format/read_hfile.py").toString();
    assertEquals(
        """
        r0004544 f55a1b674de1f708 0 maybe
        r0009092 22a0f0effecd363d 2 maybe
        r0000001 23b5e0bf5169321c 0 no
        r0000267 9866761a634d4c02 0 maybe
        r000000 1dddb53efa1438fc none no
        """,
        python(
            script,
            DIRECTORY.resolve("bumped-ribbon.hfile").toString(),
            "r0004544",
            "r0009092",
            "r0000001",
            "r0000267",
            "r000000"));
    assertEquals(
        """
        r0000998:col2 151606d9637b53fc 2 maybe
        r0000002:col3 37a0cf06452fc92d 0 no
        """,
        python(
            script,
            DIRECTORY.resolve("ribbon.hfile").toString(),
            "r0000998:col2",
            "r0000002:col3"));
  }

  @Test
  void theExampleInPythonKnowsPrefixes() throws Exception {
    assumePython();
    String readme = Files.readString(SEEDED.resolve("README.md"));
    int from = readme.indexOf("## Prefixes");
    List<String> lines =
        readme.substring(from).lines().filter(line -> line.startsWith("| `")).toList();
    List<String> command = new ArrayList<>();
    command.add(Path.of("../../docs/format/read_hfile.py").toString());
    command.add(SEEDED.resolve("prefixes.hfile").toString());
    StringBuilder expected = new StringBuilder();
    for (String line : lines) {
      String[] cells = line.replace("`", "").split(" *\\| *", -1);
      command.add(cells[1]);
      expected.append(String.join(" ", Arrays.copyOfRange(cells, 1, 5))).append('\n');
    }
    assertTrue(lines.size() >= 8);
    assertEquals(expected.toString(), python(command.toArray(new String[0])));
  }

  static void assumePython() throws InterruptedException {
    assumeTrue(python("--version").startsWith("Python 3"), "no python3");
  }

  static String python(String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3", "-B"));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return output.replace(System.lineSeparator(), "\n");
    } catch (IOException e) {
      return "";
    }
  }
}

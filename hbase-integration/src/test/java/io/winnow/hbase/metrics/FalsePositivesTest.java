package io.winnow.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is counted is what is true: each file of a region is read whole, each file's filter is asked
 * directly, and both together tell which answers of a filter were right.
 */
class FalsePositivesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 600;
  private static final int FILES = 5;
  private static final List<String> COLUMNS = List.of("", "a", "b", "c", "d");

  @TempDir Path directory;

  /** What a Get is counted as, all files together. */
  private record Counts(long falsePositives, long truePositives) {
    static Counts of(FamilyCounters counters) {
      return new Counts(counters.falsePositives(), counters.truePositives());
    }

    Counts minus(Counts other) {
      return new Counts(falsePositives - other.falsePositives, truePositives - other.truePositives);
    }

    Counts plus(boolean isTrue) {
      return new Counts(falsePositives + (isTrue ? 0 : 1), truePositives + (isTrue ? 1 : 0));
    }

    Counts plus(Counts other) {
      return new Counts(falsePositives + other.falsePositives, truePositives + other.truePositives);
    }
  }

  static Stream<Arguments> families() {
    List<Arguments> all = new ArrayList<>();
    for (BloomType type : List.of(BloomType.ROW, BloomType.ROWCOL)) {
      for (String filter : List.of("bloom", "ribbon", "bumped-ribbon", "quotient")) {
        all.add(Arguments.of(filter, type, DataBlockEncoding.NONE));
      }
      for (DataBlockEncoding encoding :
          List.of(
              DataBlockEncoding.PREFIX,
              DataBlockEncoding.DIFF,
              DataBlockEncoding.FAST_DIFF,
              DataBlockEncoding.ROW_INDEX_V1)) {
        all.add(Arguments.of("ribbon", type, encoding));
      }
    }
    return all.stream();
  }

  private static ColumnFamilyDescriptor family(
      String filter, BloomType type, DataBlockEncoding encoding) {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setBloomFilterType(type)
        .setDataBlockEncoding(encoding)
        .setBlocksize(512) // rows that begin in one block and go on in the next
        .setMaxVersions(100)
        .setConfiguration("winnow.filter", filter)
        .setConfiguration("io.storefile.bloom.error.rate", "0.1")
        .build();
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format(Locale.ROOT, "row-%06d", i));
  }

  /** Even rows, each in some of the files, with some of the columns; markers of all kinds. */
  private static void fill(TestRegion region, Random random) throws Exception {
    for (int file = 0; file < FILES; file++) {
      for (int i = 0; i < ROWS; i += 2) {
        if (random.nextInt(3) != 0) {
          continue;
        }
        long time = 100 + random.nextInt(100);
        Put put = new Put(row(i));
        for (String column : COLUMNS) {
          if (random.nextInt(column.isEmpty() ? 10 : 3) == 0) {
            put.addColumn(FAMILY, Bytes.toBytes(column), time, row(random.nextInt(ROWS)));
          }
        }
        if (!put.isEmpty()) {
          region.region().put(put);
        }
        switch (random.nextInt(12)) {
          case 0 -> region.region().delete(new Delete(row(i)).addFamily(FAMILY, time - 20));
          case 1 ->
              region.region().delete(new Delete(row(i)).addColumns(FAMILY, column("b"), time));
          case 2 -> region.region().delete(new Delete(row(i)).addFamilyVersion(FAMILY, time));
          default -> {}
        }
      }
      region.region().flush(true);
    }
    assertEquals(FILES, region.files().size());
  }

  private static byte[] column(String name) {
    return Bytes.toBytes(name);
  }

  /** The ways to ask for one row that have to read every file which the filters let through. */
  private static List<Get> thorough(byte[] row) throws Exception {
    List<Get> gets = new ArrayList<>();
    gets.add(new Get(row));
    gets.add(new Get(row).addFamily(FAMILY).readAllVersions());
    gets.add(new Get(row).setTimeRange(0, 150));
    gets.add(new Get(row).setFilter(new FirstKeyOnlyFilter()));
    gets.add(new Get(row).addColumn(FAMILY, column("")).readAllVersions());
    for (String name : List.of("a", "b", "bb", "d", "z")) {
      gets.add(new Get(row).addColumn(FAMILY, column(name)).readAllVersions());
    }
    gets.add(new Get(row).addColumn(FAMILY, column("a")).addColumn(FAMILY, column("c")));
    gets.get(gets.size() - 1).readAllVersions();
    gets.add(new Get(row).addColumn(FAMILY, column("c")).setTimeRange(0, 150).readAllVersions());
    return gets;
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @MethodSource("families")
  void countedAnswersAreTheTrueOnes(String filter, BloomType type, DataBlockEncoding encoding)
      throws Exception {
    try (TestRegion region = new TestRegion(directory, "truth", family(filter, type, encoding))) {
      fill(region, new Random(12));
      List<HStoreFile> files = List.copyOf(region.files());
      List<Map<String, Set<String>>> contents = TestRegion.contents(files);
      Counts all = new Counts(0, 0);
      for (int i = 0; i < ROWS; i++) {
        for (Get get : thorough(row(i))) {
          Counts expected = expected(region, files, contents, type, get);
          Counts before = Counts.of(region.counters());
          region.region().get(get);
          assertEquals(expected, Counts.of(region.counters()).minus(before), get.toString());
          all = all.plus(expected);
        }
      }
      assertTrue(all.falsePositives() > ROWS / 10, all.toString());
      assertTrue(all.truePositives() > ROWS, all.toString());
    }
  }

  private static Counts expected(
      TestRegion region,
      List<HStoreFile> files,
      List<Map<String, Set<String>>> contents,
      BloomType type,
      Get get)
      throws Exception {
    Counts expected = new Counts(0, 0);
    Scan scan = new Scan(get);
    var columns = scan.getFamilyMap().get(FAMILY);
    boolean isOneColumn = columns != null && columns.size() == 1;
    if (type == BloomType.ROWCOL && !isOneColumn) {
      return expected;
    }
    for (int f = 0; f < files.size(); f++) {
      if (StoreFileDoor.passes(files.get(f).getReader(), scan, region.store())) {
        Set<String> there = contents.get(f).getOrDefault(Bytes.toString(get.getRow()), Set.of());
        expected =
            expected.plus(
                type == BloomType.ROW
                    ? !there.isEmpty()
                    : there.contains("") || there.contains(Bytes.toString(columns.first())));
      }
    }
    return expected;
  }
}

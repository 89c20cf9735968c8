package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What a run's files say of their filters, beside what Lindorm published. */
final class FilterSection {
  /** Bytes over stock Bloom's that were asked for. */
  private static final double MOST_BYTES = 0.71;

  // Lindorm's figures (see the page's last section).
  private static final long LINDORM_BLOOM_BYTES = 11_993_088;
  private static final long LINDORM_RIBBON_BYTES = 9_043_968;
  private static final long LINDORM_KEYS = 9_999_833;
  private static final long LINDORM_BLOOM_MAX_KEYS = 10_001_499;
  private static final long LINDORM_RIBBON_MAX_KEYS = 10_005_000;
  private static final int LINDORM_BLOOM_CHUNKS = 92;
  private static final int LINDORM_RIBBON_CHUNKS = 69;

  private final Results results;

  private FilterSection(Results results) {
    this.results = results;
  }

  /** Empty if there are no figures. */
  static Section section(Results results) {
    return new FilterSection(results).section();
  }

  /** What is asked of sizes. They are counted, not measured: there is no interval. */
  static List<Bound> bounds(Results results) {
    FilterSection section = new FilterSection(results);
    List<Bound> bounds = new ArrayList<>();
    for (String length : results.values(Comparison.FILTERS, "keyLength")) {
      bounds.add(
          new Bound(
              "filter bytes in the store files, " + length + "-byte keys, over stock Bloom's",
              true,
              MOST_BYTES,
              Table.divided(
                  section.filter("bytes", FilterKind.BUMPED_RIBBON.id(), length),
                  section.filter("bytes", FilterKind.BLOOM.id(), length)),
              3));
    }
    return bounds;
  }

  private Section section() {
    Section section =
        new Section(
            "The filters in the files",
            """
            What the meta blocks of a table's files say, summed up, as in Lindorm's table. False positives are
            measured with keys that are in no file.
            """);
    Table table =
        new Table(
            "filters",
            "",
            "size, bytes",
            "size : bloom's",
            "keys",
            "max keys",
            "filled",
            "chunks",
            "bits per key",
            "false positives",
            "files, MB");
    for (String length : results.values(Comparison.FILTERS, "keyLength")) {
      for (FilterKind kind : FilterKind.values()) {
        String filter = kind.id();
        OptionalDouble keys = filter("keys", filter, length);
        OptionalDouble bytes = filter("bytes", filter, length);
        table.row(
            length + "-byte keys, " + filter,
            Table.number(bytes, 0),
            Table.ratio(bytes, filter("bytes", FilterKind.BLOOM.id(), length)),
            Table.number(keys, 0),
            Table.number(filter("maxKeys", filter, length), 0),
            Table.percent(Table.divided(keys, filter("maxKeys", filter, length)), 0),
            Table.number(filter("chunks", filter, length), 0),
            Table.number(bits(bytes, keys), 2),
            Table.percent(filter("falsePositiveRate", filter, length), 2),
            Table.number(megabytes(filter("fileBytes", filter, length)), 0));
      }
    }
    if (!table.isEmpty()) {
      lindorm(table, "bloom", LINDORM_BLOOM_BYTES, LINDORM_BLOOM_MAX_KEYS, LINDORM_BLOOM_CHUNKS);
      lindorm(
          table, "ribbon", LINDORM_RIBBON_BYTES, LINDORM_RIBBON_MAX_KEYS, LINDORM_RIBBON_CHUNKS);
    }
    return section.add(table).measuredBy(results, Comparison.FILTERS);
  }

  private static void lindorm(Table table, String filter, long bytes, long maxKeys, int chunks) {
    table.row(
        "Lindorm's " + filter + ", published",
        Table.number(bytes, 0),
        Table.number((double) bytes / LINDORM_BLOOM_BYTES, 2),
        Table.number(LINDORM_KEYS, 0),
        Table.number(maxKeys, 0),
        "100 %",
        Table.number(chunks, 0),
        Table.number(8.0 * bytes / LINDORM_KEYS, 2),
        "-",
        "-");
  }

  private OptionalDouble filter(String metric, String filter, String length) {
    return results.median(Comparison.FILTERS, metric, "filter", filter, "keyLength", length);
  }

  private static OptionalDouble bits(OptionalDouble bytes, OptionalDouble keys) {
    return bytes.isPresent()
        ? Table.divided(OptionalDouble.of(8 * bytes.getAsDouble()), keys)
        : bytes;
  }

  private static OptionalDouble megabytes(OptionalDouble bytes) {
    return Table.divided(bytes, OptionalDouble.of(1 << 20));
  }
}

package io.winnow.hbase.quickstart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * The result: one table for people, with lines that say what it cannot show; one JSON document for
 * machines.
 *
 * @param setting where and how it was measured
 * @param rounds in which the tables took turns at gets; 0 if these were not timed
 * @param absentKeys that each filter was asked for; 0 if nobody counted them
 */
record Report(
    Results.Setting setting, long rows, int rounds, long absentKeys, List<Measured> tables) {

  /** Fewer keys, and a filter is mostly what every filter has. */
  private static final long FEW_ROWS = 2_000;

  /** Of fewer, a rate of one in a hundred is chance. */
  private static final long FEW_ABSENT_KEYS = 10_000;

  /** False-positive rates further apart than this make sizes hard to compare. */
  private static final double EQUAL_RATES = 0.1;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * One table's figures.
   *
   * @param falsePositiveRate counted over the absent keys; null if there are none
   * @param hitsPerSecond gets of present rows, the median of all rounds; null if not timed
   * @param missesPerSecond the same, of absent rows
   * @param hitsRatio over the first table's, round by round; null if not timed, and of the first
   */
  record Measured(
      String filter,
      long filterBytes,
      long chunks,
      double bitsPerKey,
      Double falsePositiveRate,
      Double hitsPerSecond,
      Double missesPerSecond,
      long rowsLost,
      PairedRatio hitsRatio,
      PairedRatio missesRatio) {

    /** The bits that a key takes, over the least that any filter of this rate could do with. */
    double overTheLeast() {
      return bitsPerKey * Math.log(2) / -Math.log(falsePositiveRate);
    }
  }

  /** A line of the table: what stands under a filter, and under filter/first. */
  private record Line(
      String name, Function<Measured, String> text, Function<Measured, String> ratio) {}

  private List<Line> lines() {
    Measured first = tables.get(0);
    return List.of(
        new Line(
            "filter bytes",
            table -> whole(table.filterBytes()),
            table -> ratio(table.filterBytes(), first.filterBytes())),
        new Line("chunks", table -> whole(table.chunks()), table -> ""),
        new Line(
            "bits per key",
            table -> format("%.3f", table.bitsPerKey()),
            table -> ratio(table.bitsPerKey(), first.bitsPerKey())),
        new Line(
            "false-positive rate",
            table -> percent(table.falsePositiveRate()),
            table -> ratio(table.falsePositiveRate(), first.falsePositiveRate())),
        new Line(
            "gets/s, hits", table -> rate(table.hitsPerSecond()), table -> text(table.hitsRatio())),
        new Line(
            "gets/s, misses",
            table -> rate(table.missesPerSecond()),
            table -> text(table.missesRatio())),
        new Line("rows lost", table -> whole(table.rowsLost()), table -> ""));
  }

  /** The rows that did not come back, over all tables. */
  long rowsLost() {
    return tables.stream().mapToLong(Measured::rowsLost).sum();
  }

  /** The table, and what it can and cannot show. */
  String text() {
    return table() + "\n" + String.join("\n", notes()) + "\n";
  }

  /** The table; each later kind is also shown as a multiple of the first. */
  String table() {
    String first = tables.get(0).filter();
    Table table = new Table("", row("", Measured::filter, each -> each.filter() + "/" + first));
    for (Line line : lines()) {
      table.row(row(line.name(), line.text(), line.ratio()));
    }
    return table.plain();
  }

  private String[] row(
      String name, Function<Measured, String> text, Function<Measured, String> ratio) {
    List<String> cells = new ArrayList<>(List.of(name));
    for (Measured table : tables) {
      cells.add(text.apply(table));
      if (table != tables.get(0)) {
        cells.add(ratio.apply(table));
      }
    }
    return cells.toArray(String[]::new);
  }

  /** What the figures can and cannot show, a line each. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (tables.get(0).falsePositiveRate() == null) {
      notes.add(
          "No false-positive rate: nothing fits between these row keys, so that there is no absent"
              + " key within their range to ask for.");
    } else if (ratesAreChance()) {
      notes.add(
          format(
              "Only %,d absent keys fit between these row keys: too few to tell a false-positive"
                  + " rate.",
              absentKeys));
    } else if (absentKeys > 0) {
      notes.add(
          format("False-positive rates are counted over %,d keys that are absent.", absentKeys));
    }
    if (rows < FEW_ROWS) {
      notes.add(
          format(
              "With %,d rows this shows that it works, and no more: so small a filter is mostly"
                  + " header and padding, and its false-positive rate is chance.",
              rows));
    } else if (!ratesAreChance() && !ratesAreEqual()) {
      notes.add(
          "The filters have unlike false-positive rates, so their sizes do not compare as they are:"
              + " HBase makes a Bloom filter for a full chunk, and can only halve it when fewer keys"
              + " come.");
      notes.add(
          "Bits per key, over the least that any filter of its rate needs: "
              + listed(table -> format("%s %.2f", table.filter(), table.overTheLeast()))
              + ". From a million rows on, the rates are nearly equal.");
    }
    if (rounds == 0) {
      notes.add("Gets per second are not timed: with so few rows a turn is over at once.");
    } else {
      notes.add(
          "Gets are by HBase's client, with everything in the block cache. Their ratios are medians"
              + " of "
              + rounds
              + " rounds, with the interval of 95 % certainty.");
      String same = notCertain();
      if (!same.isEmpty()) {
        notes.add("No difference is certain, since the interval holds 1: " + same + ".");
      }
    }
    return notes;
  }

  private boolean ratesAreChance() {
    return tables.get(0).falsePositiveRate() == null
        || absentKeys > 0 && absentKeys < FEW_ABSENT_KEYS;
  }

  private boolean ratesAreEqual() {
    double first = tables.get(0).falsePositiveRate();
    return tables.stream()
        .allMatch(table -> Math.abs(table.falsePositiveRate() - first) <= EQUAL_RATES * first);
  }

  private String listed(Function<Measured, String> text) {
    return String.join(", ", tables.stream().map(text).toList());
  }

  private String notCertain() {
    List<String> same = new ArrayList<>();
    for (Measured table : tables) {
      if (holdsOne(table.hitsRatio())) {
        same.add(table.filter() + ", hits");
      }
      if (holdsOne(table.missesRatio())) {
        same.add(table.filter() + ", misses");
      }
    }
    return String.join("; ", same);
  }

  private static boolean holdsOne(PairedRatio ratio) {
    return ratio != null && !ratio.isAbove(1) && !ratio.isBelow(1);
  }

  /** The document of {@code --json}. */
  String json() {
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentArraysWith(new DefaultIndenter("  ", "\n"));
    try {
      return JSON.writer(printer).writeValueAsString(this) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Report ofJson(String json) throws IOException {
    return JSON.readValue(json, Report.class);
  }

  private static String ratio(Number value, Number base) {
    return value == null || base.doubleValue() == 0
        ? ""
        : format("%.2f", value.doubleValue() / base.doubleValue());
  }

  private static String percent(Double share) {
    return share == null ? "-" : format("%.3f %%", share * 100);
  }

  private static String text(PairedRatio ratio) {
    return ratio == null ? "" : ratio.text();
  }

  private static String rate(Double perSecond) {
    return perSecond == null ? "-" : whole(perSecond);
  }

  private static String whole(double value) {
    return format("%,.0f", value);
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}

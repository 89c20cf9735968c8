package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.Setting;
import io.winnow.ycsb.TableFilter;
import io.winnow.ycsb.model.FilterFigures.FileFilter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoublePredicate;

/** The text that {@code ./winnow model} prints for stores of several files. */
final class StoreModel {
  private static final double MIB = 1 << 20;

  private static final String ASSUMPTIONS =
      """

stock: HBase's Bloom filters. file: bumped-ribbon, winnow.error.rate.scope = file, one rate for all files.
store: bumped-ribbon with the default scope, a file's rate by its share of the store and the store's memory.
Assumed: every Get queries the filters of all files. A present row is in one file, and each row is equally likely.
Files are written in the order in which they stand, each with its share of the keys that are there by then.
A false read is an unnecessary file read: its filter said maybe, and the row is not there.
""";

  private final Model options;
  private final double present;
  private final FilterFigures stock;
  private final FilterFigures file;
  private final FilterFigures store;

  /**
   * A target for filters, set by the user or by the model.
   *
   * @param memory the {@code winnow.store.memory} that meets it; null if none does
   */
  record Wish(String what, Double memory) {}

  StoreModel(Model options) {
    this.options = options;
    present = 1 - options.absent;
    stock = uniform(TableFilter.BLOOM);
    file = uniform(TableFilter.BUMPED_RIBBON);
    store = filters(options.storeMemory);
  }

  private FilterFigures uniform(TableFilter kind) {
    return FilterFigures.of(kind, options.keys, options, "file", null);
  }

  /**
   * Returns the filters that Winnow writes for a store's files.
   *
   * @param memory {@code winnow.store.memory}; null for the default
   */
  FilterFigures filters(Double memory) {
    return FilterFigures.of(TableFilter.BUMPED_RIBBON, options.keys, options, "store", memory);
  }

  String text() {
    List<Wish> wishes = wishes();
    String stores = Table.counted(options.regions, "store");
    return Model.format("%s of %,d keys in %d files; ", stores, store.keys(), options.keys.size())
        + (percent() + " % of Gets find their row\n")
        + ("io.storefile.bloom.error.rate = " + Table.exact(options.rate))
        + memory(", %s = %s", options.storeMemory)
        + "\n\n"
        + String.join("\n", gets().text(), files().text(), wished(wishes).text(), alter(wishes))
        + ASSUMPTIONS;
  }

  private String percent() {
    return Table.exact(Math.round(present * 1e4) / 1e2);
  }

  private static String memory(String form, Double memory) {
    return memory == null ? "" : Model.format(form, Setting.STORE_MEMORY.key, Table.exact(memory));
  }

  private FigureTable<FilterFigures> gets() {
    String[] header = {
      "", "stock", "file", "store", "file : stock", "store : stock", "store : file"
    };
    FigureTable<FilterFigures> table =
        new FigureTable<>(List.of(stock, file, store), "what a Get pays", header);
    table.row("bits per key", 3, FilterFigures::bitsPerKey);
    table.row("filters of a store, MiB", 3, filters -> filters.bytes() / MIB);
    if (options.regions > 1) {
      double gib = Model.GIB / options.regions;
      table.row("filters of all stores, GiB", 2, filters -> filters.bytes() / gib);
    }
    table.row("false reads per Get of an absent row", 6, FilterFigures::falseReadsIfAbsent);
    table.row("false reads per Get of a present row", 6, FilterFigures::falseReadsIfPresent);
    String both = "false reads per Get, " + percent() + " % present";
    table.row(both, 6, filters -> filters.falseReads(present));
    return table;
  }

  private Table files() {
    String[] header = {
      "keys", "share, %", "stock, bits", "rate, %",
      "file, bits", "rate, %", "store, bits", "rate, %"
    };
    Table table = new Table("the files, oldest first", header);
    for (int i = 0; i < options.keys.size(); i++) {
      double keys = options.keys.get(i);
      List<String> cells = new ArrayList<>();
      cells.add(Table.number(keys, 0));
      cells.add(Table.number(100 * keys / store.keys(), 2));
      for (FilterFigures filters : List.of(stock, file, store)) {
        FileFilter one = filters.files().get(i);
        cells.add(one.bytes() == 0 ? "none" : Table.number(one.bitsPerKey(), 2));
        cells.add(Table.number(100 * one.rate(), 4));
      }
      table.row(cells.toArray(String[]::new));
    }
    return table;
  }

  // ==== wishes

  /** Returns the user's wishes, and then two of the model's. */
  List<Wish> wishes() {
    List<Wish> wishes = new ArrayList<>();
    if (options.wishedBytes != null) {
      double bytes = options.wishedBytes;
      String what = Model.format("%.2f bits per key", 8 * bytes / store.keys());
      wishes.add(new Wish(what, largest(memory -> filters(memory).bytes() <= bytes)));
    }
    if (options.wishedFalseReads != null) {
      double reads = options.wishedFalseReads;
      String what = Table.exact(reads) + " false reads per Get";
      wishes.add(new Wish(what, smallest(memory -> filters(memory).falseReads(present) <= reads)));
    }
    double reads = stock.falseReadsIfAbsent();
    wishes.add(
        new Wish(
            "stock's false reads of an absent row",
            smallest(memory -> filters(memory).falseReadsIfAbsent() <= reads)));
    wishes.add(
        new Wish(
            "the memory of one rate for all files",
            largest(memory -> filters(memory).bytes() <= file.bytes())));
    return wishes;
  }

  /**
   * Returns the largest {@code winnow.store.memory} that meets a condition; every smaller value
   * must meet it too. Returns null if none does.
   */
  private static Double largest(DoublePredicate meets) {
    return limit(meets, Model.MIN_MEMORY, Model.MAX_MEMORY, RoundingMode.DOWN);
  }

  /**
   * Returns the smallest {@code winnow.store.memory} that meets a condition; every larger value
   * must meet it too. Returns null if none does.
   */
  private static Double smallest(DoublePredicate meets) {
    return limit(meets, Model.MAX_MEMORY, Model.MIN_MEMORY, RoundingMode.UP);
  }

  /** Returns the last value on the way from one end to another that meets a condition, rounded. */
  private static Double limit(DoublePredicate meets, double from, double to, RoundingMode mode) {
    if (!meets.test(from)) {
      return null;
    }
    if (meets.test(to)) {
      return to;
    }
    double met = from;
    double missed = to;
    for (int step = 0; step < 14; step++) {
      double middle = (met + missed) / 2;
      if (meets.test(middle)) {
        met = middle;
      } else {
        missed = middle;
      }
    }
    return new BigDecimal(Math.min(met, missed)).setScale(3, mode).doubleValue();
  }

  private Table wished(List<Wish> wishes) {
    String[] header = {
      "wish", Setting.STORE_MEMORY.key, "bits per key",
      ": stock's", "false reads, absent row", ": stock's",
      "present row", ": stock's", percent() + " % present"
    };
    Table table = new Table("what to set for a wish", header);
    for (Wish wish : wishes) {
      if (wish.memory() == null) {
        table.row(wish.what(), "none does", "-", "-", "-", "-", "-", "-", "-");
        continue;
      }
      FilterFigures filters = filters(wish.memory());
      double absentReads = filters.falseReadsIfAbsent();
      double presentReads = filters.falseReadsIfPresent();
      table.row(
          wish.what(),
          Table.exact(wish.memory()),
          Table.number(filters.bitsPerKey(), 2),
          Table.number(filters.bytes() / stock.bytes(), 3),
          Table.number(absentReads, 5),
          Table.number(absentReads / stock.falseReadsIfAbsent(), 3),
          Table.number(presentReads, 5),
          Table.number(presentReads / stock.falseReadsIfPresent(), 3),
          Table.number(filters.falseReads(present), 5));
    }
    return table;
  }

  /**
   * Returns the command of HBase's shell that sets a family's filter, and the memory that meets the
   * first of the user's targets.
   */
  private String alter(List<Wish> wishes) {
    boolean isWished = options.wishedBytes != null || options.wishedFalseReads != null;
    Double memory = isWished ? wishes.get(0).memory() : options.storeMemory;
    return isWished && memory == null
        ? "No winnow.store.memory meets the wish.\n"
        : Model.format(
            "To copy%s:\n  alter 'TABLE', {NAME => 'FAMILY', CONFIGURATION =>"
                + " {'winnow.filter' => 'bumped-ribbon'%s}}\n",
            isWished ? ", for the first wish" : "", memory(", '%s' => '%s'", memory));
  }
}

package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.Setting;
import io.winnow.ycsb.TableFilter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.DoublePredicate;
import java.util.function.ToDoubleFunction;

/** The text that {@code ./winnow model} prints for stores of several files. */
final class StoreModel {
  private static final double MIB = 1 << 20;
  private static final double GIB = 1 << 30;

  /** Number of decimals of a value of {@code winnow.store.memory} that is printed to be copied. */
  private static final int DECIMALS = 3;

  private static final String ASSUMPTIONS =
      """

stock: HBase's Bloom filters. file: bumped-ribbon, winnow.error.rate.scope = file, one rate for all files.
store: bumped-ribbon with the default scope, a file's rate by its share of the store and the store's memory.
Assumed: every Get queries the filters of all files. A present row is in one file, and each row is equally likely.
Files are written in the order in which they stand, each with its share of the keys that are there by then.
A false read is an unnecessary file read: its filter said maybe, and the row is not there.
""";

  private final Stores options;
  private final ModelFilters stock;
  private final ModelFilters file;
  private final ModelFilters store;

  /**
   * A target for filters, set by the user or by the model, and the {@code winnow.store.memory} that
   * meets it, if one does.
   */
  record Wish(String what, OptionalDouble memory) {}

  private StoreModel(Stores options) {
    this.options = options;
    this.stock =
        ModelFilters.uniform(
            TableFilter.BLOOM, options.keys(), options.rate(), options.chunkBytes());
    this.file =
        ModelFilters.uniform(
            TableFilter.BUMPED_RIBBON, options.keys(), options.rate(), options.chunkBytes());
    this.store = options.filters();
  }

  static StoreModel of(Stores options) {
    return new StoreModel(options);
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%,d %s of %,d keys in %d files; %s %% of Gets find their row%n",
            options.stores(),
            options.stores() == 1 ? "store" : "stores",
            store.keys(),
            options.keys().size(),
            percent(options.present())));
    text.append(settings()).append("\n\n");
    text.append(gets().text()).append('\n').append(files().text()).append('\n');
    List<Wish> wishes = wishes();
    text.append(wished(wishes).text()).append('\n');
    return text.append(alter(wishes)).append(ASSUMPTIONS).toString();
  }

  private String settings() {
    StringBuilder text = new StringBuilder();
    text.append("io.storefile.bloom.error.rate = ").append(Table.exact(options.rate()));
    options.memory().ifPresent(m -> text.append(", winnow.store.memory = ").append(Table.exact(m)));
    return text.toString();
  }

  private Table gets() {
    Table table =
        new Table(
            "what a Get pays",
            "",
            "stock",
            "file",
            "store",
            "file : stock",
            "store : stock",
            "store : file");
    row(table, "bits per key", 3, ModelFilters::bitsPerKey);
    row(table, "filters of a store, MiB", 3, filters -> filters.bytes() / MIB);
    if (options.stores() > 1) {
      row(
          table,
          "filters of all stores, GiB",
          2,
          filters -> options.stores() * filters.bytes() / GIB);
    }
    row(table, "false reads per Get of an absent row", 6, ModelFilters::falseReadsIfAbsent);
    row(table, "false reads per Get of a present row", 6, ModelFilters::falseReadsIfPresent);
    row(
        table,
        "false reads per Get, " + percent(options.present()) + " % present",
        6,
        filters -> filters.falseReads(options.present()));
    return table;
  }

  private void row(Table table, String name, int decimals, ToDoubleFunction<ModelFilters> figure) {
    double[] values = {
      figure.applyAsDouble(stock), figure.applyAsDouble(file), figure.applyAsDouble(store)
    };
    table.row(
        name,
        Table.number(values[0], decimals),
        Table.number(values[1], decimals),
        Table.number(values[2], decimals),
        Table.number(values[1] / values[0], 3),
        Table.number(values[2] / values[0], 3),
        Table.number(values[2] / values[1], 3));
  }

  private Table files() {
    Table table =
        new Table(
            "the files, oldest first",
            "keys",
            "share, %",
            "stock, bits",
            "rate, %",
            "file, bits",
            "rate, %",
            "store, bits",
            "rate, %");
    for (int i = 0; i < options.keys().size(); i++) {
      List<String> cells = new ArrayList<>();
      cells.add(Table.number(options.keys().get(i), 0));
      cells.add(Table.number(100.0 * options.keys().get(i) / store.keys(), 2));
      for (ModelFilters filters : List.of(stock, file, store)) {
        ModelFilters.FileFilter one = filters.files().get(i);
        cells.add(one.bytes() == 0 ? "none" : Table.number(one.bitsPerKey(), 2));
        cells.add(Table.number(100 * one.rate(), 4));
      }
      table.row(cells.toArray(String[]::new));
    }
    return table;
  }

  // ==== wishes

  List<Wish> wishes() {
    List<Wish> wishes = new ArrayList<>();
    options
        .wishedBytes()
        .ifPresent(
            bytes ->
                wishes.add(
                    new Wish(
                        String.format(Locale.ROOT, "%.2f bits per key", 8 * bytes / store.keys()),
                        largest(memory -> options.filters(memory).bytes() <= bytes))));
    options
        .wishedFalseReads()
        .ifPresent(
            reads ->
                wishes.add(
                    new Wish(
                        Table.exact(reads) + " false reads per Get",
                        smallest(memory -> falseReads(options.filters(memory)) <= reads))));
    wishes.add(
        new Wish(
            "stock's false reads of an absent row",
            smallest(
                memory ->
                    options.filters(memory).falseReadsIfAbsent() <= stock.falseReadsIfAbsent())));
    wishes.add(
        new Wish(
            "the memory of one rate for all files",
            largest(memory -> options.filters(memory).bytes() <= file.bytes())));
    return wishes;
  }

  private double falseReads(ModelFilters filters) {
    return filters.falseReads(options.present());
  }

  /**
   * Returns the largest {@code winnow.store.memory} that meets a condition; every smaller value
   * must meet it too.
   */
  private static OptionalDouble largest(DoublePredicate isLittleEnough) {
    return isLittleEnough.test(Stores.MIN_MEMORY)
        ? OptionalDouble.of(rounded(limit(isLittleEnough), RoundingMode.DOWN))
        : OptionalDouble.empty();
  }

  /**
   * Returns the smallest {@code winnow.store.memory} that meets a condition; every larger value
   * must meet it too.
   */
  private static OptionalDouble smallest(DoublePredicate isEnough) {
    return isEnough.test(Stores.MAX_MEMORY)
        ? OptionalDouble.of(rounded(limit(memory -> !isEnough.test(memory)), RoundingMode.UP))
        : OptionalDouble.empty();
  }

  /** Returns the largest {@code winnow.store.memory} up to which a condition holds. */
  private static double limit(DoublePredicate holds) {
    double low = Stores.MIN_MEMORY;
    double high = Stores.MAX_MEMORY;
    if (holds.test(high)) {
      return high;
    }
    for (int step = 0; step < 14; step++) {
      double middle = (low + high) / 2;
      if (holds.test(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static double rounded(double memory, RoundingMode mode) {
    double rounded = new BigDecimal(memory).setScale(DECIMALS, mode).doubleValue();
    return Math.max(Stores.MIN_MEMORY, Math.min(Stores.MAX_MEMORY, rounded));
  }

  private Table wished(List<Wish> wishes) {
    Table table =
        new Table(
            "what to set for a wish",
            "wish",
            Setting.STORE_MEMORY.key,
            "bits per key",
            ": stock's",
            "false reads, absent row",
            ": stock's",
            "present row",
            ": stock's",
            percent(options.present()) + " % present");
    for (Wish wish : wishes) {
      if (wish.memory().isEmpty()) {
        table.row(wish.what(), "none does", "-", "-", "-", "-", "-", "-", "-");
        continue;
      }
      double memory = wish.memory().getAsDouble();
      ModelFilters filters = options.filters(memory);
      table.row(
          wish.what(),
          Table.exact(memory),
          Table.number(filters.bitsPerKey(), 2),
          Table.number((double) filters.bytes() / stock.bytes(), 3),
          Table.number(filters.falseReadsIfAbsent(), 5),
          Table.number(filters.falseReadsIfAbsent() / stock.falseReadsIfAbsent(), 3),
          Table.number(filters.falseReadsIfPresent(), 5),
          Table.number(filters.falseReadsIfPresent() / stock.falseReadsIfPresent(), 3),
          Table.number(falseReads(filters), 5));
    }
    return table;
  }

  /**
   * Returns the command of HBase's shell that sets a family's filter, and the memory that meets the
   * first of the user's targets.
   */
  private String alter(List<Wish> wishes) {
    boolean wished = options.wishedBytes().isPresent() || options.wishedFalseReads().isPresent();
    OptionalDouble memory = wished ? wishes.get(0).memory() : options.memory();
    if (wished && memory.isEmpty()) {
      return "No winnow.store.memory meets the wish.\n";
    }
    StringBuilder text =
        new StringBuilder(
            "To copy"
                + (wished ? ", for the first wish" : "")
                + ":\n"
                + "  alter 'TABLE', {NAME => 'FAMILY', CONFIGURATION => {'winnow.filter' =>"
                + " 'bumped-ribbon'");
    memory.ifPresent(
        m -> text.append(", 'winnow.store.memory' => '").append(Table.exact(m)).append("'"));
    return text.append("}}\n").toString();
  }

  private static String percent(double share) {
    return Table.exact(Math.round(share * 1e4) / 1e2);
  }
}

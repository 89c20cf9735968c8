package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;

/**
 * Tables with the same rows, one for each contender: only their filters differ. A {@link LoadPlan}
 * says which store file has which rows.
 */
final class TableSet {
  /** The way in which the store files of a set of tables are made. */
  enum Making {
    /** All files are written without servers, and loaded. */
    LOADED,

    /**
     * The first file is loaded and major-compacted. Only then rows are written and flushed for each
     * further one, so that a file's share of the store is known when it is written.
     */
    FLUSHED,

    /** All files are loaded, and merged into one by {@link TableSet#merge}. */
    MERGED
  }

  private final String purpose;
  private final Making making;
  final List<TableFilter> contenders;
  final KeySpace keys;
  private final LoadPlan plan;
  private final Map<TableFilter, TableName> names = new HashMap<>();
  private TableFiles files;

  /** The figures of the store files of stock's table, once it is loaded. */
  Map<String, Double> stock;

  /**
   * Plans a set of tables.
   *
   * @param purpose a name that distinguishes it from other sets
   * @param contenders the filters of the tables, stock's first
   */
  TableSet(
      String purpose, Making making, List<TableFilter> contenders, KeySpace keys, LoadPlan plan) {
    this.purpose = purpose;
    this.making = making;
    this.contenders = contenders;
    this.keys = keys;
    this.plan = plan;
  }

  /** Returns the number of store files in a store. */
  int files() {
    return plan.files();
  }

  TableName table(TableFilter contender) {
    return names.get(contender);
  }

  /** Returns the approximate seconds to load one table on a machine with two cores. */
  double loadSeconds() {
    double loaded = 4 + keys.rows() / 300_000.0 * (1 + keys.keyLength() / 300.0);
    return making == Making.FLUSHED ? loaded + 4 + keys.rows() / 150_000.0 : loaded;
  }

  /** Returns the approximate seconds to load all tables on a machine with two cores. */
  double seconds() {
    return contenders.size() * loadSeconds();
  }

  /**
   * Makes all tables, unless they are there.
   *
   * @param benchmark the benchmark that gets the figures of the store files; null for none
   */
  void load(Workbench bench, String benchmark) throws IOException, InterruptedException {
    if (files != null) {
      return;
    }
    int regions = bench.deployment.size();
    BlockSizes blocks = bench.options.blocks;
    files =
        TableFiles.of(bench.deployment.connection.getConfiguration(), keys, plan, regions, blocks);
    for (TableFilter contender : contenders) {
      List<Path> loaded;
      try (Progress progress = Progress.counting(bench.out, "rows written, " + contender.id())) {
        loaded =
            files.write(
                new Path(bench.deployment.staging(), purpose),
                contender,
                making == Making.FLUSHED ? 1 : plan.files(),
                progress::add);
      }
      TableName table =
          bench.tables.create(purpose, contender, keys.keyLength(), blocks, files.splits());
      names.put(contender, table);
      bench.tables.load(table, loaded);
      Map<String, Double> sum = new TreeMap<>();
      List<List<Path>> all =
          making == Making.FLUSHED ? flushed(bench.tables, table, regions) : List.of(loaded);
      for (int file = 0; file < all.size(); file++) {
        Map<String, Double> its = files.filters(all.get(file));
        Map<String, String> at = at(contender, file);
        its.forEach(
            (figure, value) -> {
              sum.merge(figure, value, Double::sum);
              if (benchmark != null) {
                bench.contest.results().add(benchmark, at, figure, value);
              }
            });
      }
      if (stock == null) {
        stock = sum;
      }
      if (making == Making.MERGED) {
        merge(bench, contender);
      }
      bench
          .contest
          .progress()
          .step(
              loadSeconds(),
              "%,d rows of %d-byte keys, %s"
                  .formatted(keys.rows(), keys.keyLength(), contender.id()),
              String.format(
                  Locale.ROOT,
                  "%d files in a store, %,.0f MB, filters %,.0f bytes",
                  plan.files(),
                  sum.get("fileBytes") / (1 << 20),
                  sum.get(TableFiles.BYTES)));
    }
  }

  /** Returns the parameters of the figures of store files. */
  private Map<String, String> at(TableFilter contender, int file) {
    Map<String, String> at = new TreeMap<>(Map.of("filter", contender.id()));
    if (making == Making.FLUSHED) {
      at.put("file", Integer.toString(file));
    } else {
      at.put("files", Integer.toString(plan.files()));
      at.put("keyLength", Integer.toString(keys.keyLength()));
    }
    return at;
  }

  /** Compacts a loaded table and flushes all further files. Returns them all. */
  private List<List<Path>> flushed(RunTables tables, TableName table, int regions)
      throws IOException, InterruptedException {
    // A second file, of one row: a compaction of a single file would be over before it is seen.
    tables.flush(table, files.firstRows());
    tables.compact(table);
    for (int small = 1; small < plan.files(); small++) {
      tables.flush(table, files.rowsOf(small));
    }
    return tables.files(table, regions, plan.files());
  }

  /** Writes the rows of a table's second file again, flushes them and compacts the table. */
  void merge(Workbench bench, TableFilter contender) throws IOException, InterruptedException {
    bench.tables.flush(table(contender), files.rowsOf(1));
    bench.tables.compact(table(contender));
  }

  /**
   * Compacts a table again. It gets another file with one row of each region, of which a compaction
   * keeps one; so HBase rewrites all of it.
   */
  RunTables.Compaction compactAgain(Workbench bench, TableFilter contender)
      throws IOException, InterruptedException {
    bench.tables.flush(table(contender), files.firstRows());
    return bench.tables.compact(table(contender));
  }

  /** Drops all tables. */
  void drop(Workbench bench) throws IOException {
    for (TableName table : names.values()) {
      bench.tables.drop(table);
    }
    files = null;
  }
}

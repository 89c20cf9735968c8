package io.winnow.ycsb;

import io.winnow.hbase.contest.Case;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.Map;

/**
 * Measures repeated major compactions of tables of moderate size that are made only for this. After
 * its first compaction, a table has one more file of a few rows for each further one.
 */
final class Compactions {
  /** Name of the benchmark in the results. */
  static final String COMPACTION = "compaction";

  /** Maximum number of rows in the tables that are compacted repeatedly. */
  private static final long MAX_ROWS = 500_000;

  /**
   * Maximum number of measured compactions of one table. Each takes a second or two, and they
   * differ by a tenth.
   */
  private static final int MAX_ROUNDS = 12;

  /** Number of store files of a table before its first measured compaction. */
  private static final int FILES = 4;

  /** Number of compactions of each table that do not count. */
  private static final int WARM_UPS = 2;

  private final int rounds;
  private final TableSet tables;

  Compactions(Ycsb options) {
    this.rounds = Math.min(options.rounds, MAX_ROUNDS);
    this.tables =
        new TableSet(
            COMPACTION,
            TableSet.Making.LOADED,
            TableFilter.KINDS,
            KeySpace.of(options.usualKeyLength(), Math.min(options.rows, MAX_ROWS)),
            LoadPlan.of(FILES, 0));
  }

  /** Returns the approximate seconds of all compactions and of loading their tables. */
  double seconds() {
    return tables.seconds() + TableFilter.KINDS.size() * (WARM_UPS + rounds) * weight();
  }

  /** Returns the approximate seconds of one compaction. */
  private double weight() {
    return 1 + tables.keys.rows() / 400_000.0;
  }

  /** Loads the tables, measures their compactions and drops them. */
  void run(Workbench bench) throws IOException, InterruptedException {
    tables.load(bench, null);
    Case<TableFilter> compactions =
        new Case.Plain<>(
            "major compaction",
            Map.of("keyLength", Integer.toString(tables.keys.keyLength())),
            TableFilter.KINDS,
            weight(),
            (kind, round) -> compact(bench, kind, round));
    bench.contest.warmUp(compactions, 1, WARM_UPS);
    bench.contest.run(compactions, rounds);
    tables.drop(bench);
  }

  private Case.Taken compact(Workbench bench, TableFilter kind, int round)
      throws IOException, InterruptedException {
    RunTables.Compaction compaction =
        round == -1 ? bench.tables.compact(tables.table(kind)) : tables.compactAgain(bench, kind);
    double wall = compaction.wallNanos() / 1e9;
    double cpu = compaction.cpuNanos() / 1e9;
    if (round >= 0) {
      Map<String, String> at =
          Map.of("filter", kind.id(), "keyLength", Integer.toString(tables.keys.keyLength()));
      Results results = bench.contest.results();
      results.add(COMPACTION, at, "rows", tables.keys.rows());
      results.add(COMPACTION, at, "wallSeconds", wall);
      results.add(COMPACTION, at, "cpuSeconds", cpu);
    }
    return new Case.Taken(wall, "%.2f s, CPU %.2f s".formatted(wall, cpu));
  }
}

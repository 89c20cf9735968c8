package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;

/**
 * Measures one kind of operations of {@code --scale} on both tables, in one launch of the server.
 *
 * <p>Before a turn the block cache is emptied. The warm-up reads as fast as the drive and the page
 * cache can; only the measured part has the delay of the case's storage.
 */
final class ScaleReads extends TableReads {
  /** Name of the benchmark in results. */
  static final String READS = "scaleReads";

  /** Number of contenders in each case: HBase's filters and Winnow's. */
  static final int CONTENDERS = 2;

  /** Length of a turn that does not count, as a share of one that counts. */
  private static final double SHORT = 0.25;

  /** Number of entities below which queries of rows are not counted file by file. */
  private static final int FEW_ENTITIES = 10_000;

  /** The storage that positional reads are made from. */
  enum Storage {
    /** The local files and the page cache, as they come. */
    LOCAL("local", 0, false),

    /** The drive, without the page cache. */
    DIRECT("direct", 0, true),

    /** The local files, with 2 ms for each positional read. */
    MS_2("2ms", 2, false),

    /** The local files, with 20 ms for each positional read. */
    MS_20("20ms", 20, false);

    final String id;
    final long delayNanos;
    final boolean isDirect;

    Storage(String id, long delayMillis, boolean isDirect) {
      this.id = id;
      this.delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMillis);
      this.isDirect = isDirect;
    }
  }

  private final ScaleRows rows;
  private final ScaleCase reads;
  private final Storage storage;
  private final String launch;
  private final Map<TableFilter, TableName> tables;

  /**
   * Plans the operations of one case.
   *
   * @param launch name of the launch of the server
   */
  ScaleReads(
      Workbench bench,
      ScaleRows rows,
      ScaleCase reads,
      Storage storage,
      String launch,
      Map<TableFilter, TableName> tables) {
    this.bench = bench;
    this.rows = rows;
    this.reads = reads;
    this.storage = storage;
    this.launch = launch;
    this.tables = tables;
  }

  @Override
  public String name() {
    return "%s, %s, launch %s".formatted(reads.id, storage.id, launch);
  }

  @Override
  public Map<String, String> at() {
    return at(reads, storage, launch);
  }

  /** Returns the parameters that the samples of a case have in the results. */
  static Map<String, String> at(ScaleCase reads, Storage storage, String launch) {
    return Map.of("case", reads.id, "storage", storage.id, "launch", launch);
  }

  @Override
  public List<TableFilter> contenders() {
    return List.of(ScaleStore.STOCK, reads.ours());
  }

  @Override
  public double weight() {
    return weight(bench.options.duration);
  }

  /** Returns the expected seconds of a turn whose measured part has a length. */
  static double weight(double duration) {
    return 1.9 * duration + 1.5;
  }

  @Override
  String benchmark() {
    return READS;
  }

  /**
   * Returns the number of files in which an operation queries its rows. If there are few rows, the
   * ends of small files rule out some of the entities.
   */
  @Override
  int queriedFiles() {
    return rows.entities() < FEW_ENTITIES ? 0 : reads.queried * ScaleRows.FILES;
  }

  @Override
  String text(Turn.Outcome outcome) {
    return "%,.0f operations/s, mean %.2f ms, %s reads of files per operation"
        .formatted(
            outcome.rowsPerSecond(),
            outcome.latencies().getMean() / 1e6,
            Table.number((double) outcome.counted().fileReads() / outcome.rows(), 3));
  }

  /** Measures a table. The rows of the outcome are operations. */
  @Override
  Turn.Outcome measure(TableFilter contender, int round, int attempt, boolean isWarmUp)
      throws IOException, InterruptedException {
    bench.deployment.setReads(0, false);
    bench.tables.evict();
    LongAdder operations = new LongAdder();
    List<org.apache.hadoop.hbase.client.Table> opened = new ArrayList<>();
    List<Turn.Operation> all = new ArrayList<>();
    SplittableRandom random =
        new SplittableRandom(Mix.of(launch.hashCode() + 31L * attempt) + Reads.draw(round));
    for (int i = 0; i < threads(); i++) {
      org.apache.hadoop.hbase.client.Table table =
          bench.deployment.connection.getTable(tables.get(contender));
      opened.add(table);
      Turn.Operation operation = reads.operation(rows, table, random.split());
      all.add(
          () -> {
            boolean isRight = operation.run();
            operations.increment();
            return isRight;
          });
    }
    double seconds = bench.options.duration * (round < 0 ? SHORT : 1);
    Storage from = isWarmUp ? Storage.LOCAL : storage;
    Turn.Meanwhile meanwhile =
        () -> {
          bench.deployment.setReads(from.delayNanos, from.isDirect);
          TimeUnit.MILLISECONDS.sleep(Math.round(1e3 * seconds));
        };
    try {
      return new Turn(operations::sum, new Turn.Manner(seconds, arrivals, meanwhile))
          .run(all, bench.deployment);
    } finally {
      bench.deployment.setReads(0, false);
      for (org.apache.hadoop.hbase.client.Table table : opened) {
        table.close();
      }
    }
  }

  @Override
  Map<String, Double> figures(Turn.Outcome outcome) {
    return Map.of(
        "operationsPerSecond",
        outcome.rowsPerSecond(),
        "fileReadsPerOperation",
        (double) outcome.counted().fileReads() / outcome.rows());
  }
}

package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.dedup.Deduplicator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;

/**
 * The rows that one of the compared ways of writing writes in one turn, in batches. New rows are
 * numbered from the way's last one on; repeats are drawn from the rows that were loaded.
 *
 * @param fresh number of new rows, those that are not repeats
 */
record WriteTurn(List<List<Put>> batches, int fresh) {
  /**
   * Draws the rows that one of the compared ways of writing writes in one turn.
   *
   * @param repeats share of rows that are repeats
   * @param next number of the way's first new row
   * @param loaded number of rows that were loaded
   */
  static WriteTurn draw(
      Way way, int rows, double repeats, int batch, long next, long loaded, Random random) {
    int old = (int) Math.round(rows * repeats);
    int range = way.ordinal() + 1;
    List<Put> puts = new ArrayList<>(rows);
    for (int i = 0; i < rows - old; i++) {
      puts.add(BenchTable.put(range, next + i));
    }
    for (int i = 0; i < old; i++) {
      // PUT would write the rows of the other ways again, so it repeats its own.
      int of = way == Way.PUT ? range : BenchTable.LOADED;
      long bound = way == Way.PUT ? Math.max(1, next) : loaded;
      puts.add(BenchTable.put(of, (long) (random.nextDouble() * bound)));
    }
    Collections.shuffle(puts, random);
    List<List<Put>> batches = new ArrayList<>();
    for (int from = 0; from < rows; from += batch) {
      batches.add(puts.subList(from, Math.min(rows, from + batch)));
    }
    return new WriteTurn(batches, rows - old);
  }

  /**
   * Writes the batches of rows of a turn to HBase, in several threads. Returns the number of rows
   * that were stored.
   */
  int write(Connection connection, Way way, Deduplicator deduplicator, int threads)
      throws IOException, InterruptedException {
    try (Crew crew = new Crew(threads)) {
      return crew.map(batches, batch -> way.write(connection, deduplicator, batch)).stream()
          .mapToInt(Integer::intValue)
          .sum();
    }
  }
}

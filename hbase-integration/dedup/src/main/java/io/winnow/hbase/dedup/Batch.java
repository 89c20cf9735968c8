package io.winnow.hbase.dedup;

import io.winnow.KeyHash;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of one call of a de-duplicator, with the state of each. A row that comes twice is
 * written once: the second one, its twin, gets the result of the first.
 */
final class Batch {
  private final List<Put> puts;
  private final long[] hashes;

  /**
   * Index of an earlier row in this batch that is equal, for each row; its own if it is no twin.
   */
  private final int[] first;

  /**
   * Indexes of those of the batch's rows of which it is not known if they are stored: they were not
   * sent yet, or their results are missing. Twins are not in it.
   */
  private final BitSet open = new BitSet();

  private final BitSet stored = new BitSet();
  private int queried;
  private Throwable failure;

  /**
   * Checks all rows before any of them is written to HBase, and sets the timestamps of their cells.
   *
   * @throws IllegalArgumentException if a row cannot be written
   */
  Batch(List<Put> rows, KeyHash hash, DedupOptions options) {
    this.puts = new ArrayList<>(rows); // the caller may change its list
    this.hashes = new long[puts.size()];
    this.first = new int[puts.size()];
    puts.forEach(put -> check(put, options));
    stampAll();
    hashAll(hash);
  }

  private static void check(Put put, DedupOptions options) {
    if (!put.has(options.family, options.qualifier)) {
      throw new IllegalArgumentException(
          "the row "
              + Bytes.toStringBinary(put.getRow())
              + " has no cell in "
              + Bytes.toStringBinary(options.family)
              + ":"
              + Bytes.toStringBinary(options.qualifier)
              + ", the cell that shows that a row is present");
    }
    if (Arrays.equals(put.getRow(), options.markRow)) {
      throw new IllegalArgumentException(
          "the row "
              + Bytes.toStringBinary(put.getRow())
              + " is the row of the mark: set another row for the mark");
    }
  }

  /**
   * Sets the timestamp of each cell of the batch that has none. The client sets it and not the
   * server, so a Put that reaches HBase twice, because a response was lost, is one version of the
   * row and not two.
   */
  private void stampAll() {
    long now = System.currentTimeMillis();
    for (Put put : puts) {
      for (List<Cell> cells : put.getFamilyCellMap().values()) {
        for (Cell cell : cells) {
          if (cell.getTimestamp() == HConstants.LATEST_TIMESTAMP) {
            stamp(cell, now);
          }
        }
      }
    }
  }

  private static void stamp(Cell cell, long now) {
    if (!(cell instanceof ExtendedCell own)) {
      throw new IllegalArgumentException(
          "a cell without a timestamp is of " + cell.getClass() + ", which is no class of HBase's");
    }
    try {
      own.setTimestamp(now);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot set the timestamp of the cell " + cell, e);
    }
  }

  private void hashAll(KeyHash hash) {
    Map<Long, Integer> seen = new HashMap<>(2 * puts.size());
    for (int i = 0; i < hashes.length; i++) {
      byte[] row = puts.get(i).getRow();
      hashes[i] = hash.hash(row);
      Integer before = seen.putIfAbsent(hashes[i], i);
      // Different rows with one hash are no twins: the second has to wait for the first, see
      // Claims.
      boolean twin = before != null && Arrays.equals(puts.get(before).getRow(), row);
      first[i] = twin ? before : i;
      open.set(i, !twin);
    }
  }

  long[] hashes() {
    return hashes;
  }

  /** Returns the hashes of the batch's rows with these indexes. */
  long[] hashes(int[] rows) {
    return Arrays.stream(rows).mapToLong(row -> hashes[row]).toArray();
  }

  Put put(int row) {
    return puts.get(row);
  }

  int size() {
    return puts.size();
  }

  int twins() {
    return (int) IntStream.range(0, first.length).filter(i -> first[i] != i).count();
  }

  /** Returns the indexes of the batch's rows whose result is not known yet, ascending. */
  int[] open() {
    return open.stream().toArray();
  }

  void addQueried(int rows) {
    queried += rows;
  }

  void markStored(int row) {
    open.clear(row);
    stored.set(row);
  }

  void markRepeat(int row) {
    open.clear(row);
  }

  /**
   * Records a failure of this batch, after which no further row is written: rows that are open stay
   * open. A thread that was interrupted is interrupted again, because HBase's client clears the
   * flag.
   *
   * @param why an exception of a step, or the result of one row
   */
  void fail(Throwable why) {
    // HBase's client reports an interrupt, and also a timeout, by an InterruptedIOException. A
    // row's result can, in rare cases, be the interrupt of another thread of the client.
    if (why instanceof InterruptedException
        || why instanceof InterruptedIOException && !(why instanceof SocketTimeoutException)) {
      Thread.currentThread().interrupt();
    }
    if (failure == null) {
      failure = why;
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Returns the number of the batch's rows of which it is not known if they are stored. */
  int unfinished() {
    return open.cardinality();
  }

  /**
   * Returns which rows of this batch were stored, and for how many of them HBase was queried.
   *
   * @throws UnfinishedWriteException if it is not known of some rows whether they are stored
   */
  Written result() throws UnfinishedWriteException {
    Written written = new Written(puts.size(), stored, queried);
    if (unfinished() == 0) {
      return written; // if anything failed, it failed after all results were there
    }
    List<Put> again = new ArrayList<>();
    for (int i = 0; i < puts.size(); i++) {
      if (open.get(first[i])) {
        again.add(puts.get(i));
      }
    }
    throw new UnfinishedWriteException(again, written, failure);
  }
}

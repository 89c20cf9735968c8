package io.winnow.hbase.dedup;

import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The rows of one call, and what is known of each. A row that comes twice is written once: the
 * second one, its twin, has the fate of the first.
 */
final class Batch {
  private static final int NO_TWIN = -1;

  private final List<Put> puts;
  private final long[] hashes;

  /** For a row that came before in the batch, where. */
  private final int[] first;

  /** Rows of which something is still to be known; no twins. */
  private final BitSet open = new BitSet();

  private final BitSet stored = new BitSet();
  private final BitSet unknown = new BitSet();
  private int asked;
  private Throwable failure;

  private Batch(List<Put> puts) {
    this.puts = puts;
    this.hashes = new long[puts.size()];
    this.first = new int[puts.size()];
  }

  /**
   * Looks at all rows before anything is done with one of them, and stamps them.
   *
   * @throws IllegalArgumentException if one cannot be written
   */
  static Batch of(List<Put> given, KeyHash hash, DedupOptions options) {
    List<Put> puts = new ArrayList<>(given); // whatever the caller does with its list
    for (Put put : puts) {
      check(put, options);
    }
    Batch batch = new Batch(puts);
    batch.stampAll();
    batch.hashAll(hash);
    return batch;
  }

  private static void check(Put put, DedupOptions options) {
    if (!put.has(options.family(), options.qualifier())) {
      throw new IllegalArgumentException(
          "the row "
              + Bytes.toStringBinary(put.getRow())
              + " has no cell in "
              + Bytes.toStringBinary(options.family())
              + ":"
              + Bytes.toStringBinary(options.qualifier())
              + ", by which a row is known to be there");
    }
    if (Arrays.equals(put.getRow(), options.markRow())) {
      throw new IllegalArgumentException(
          "the row " + Bytes.toStringBinary(put.getRow()) + " is the mark's: give it another one");
    }
  }

  /**
   * Gives all cells their time here and not at the server: then a Put that reaches HBase twice,
   * since an answer was lost, is one version of the row and not two.
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
          "a cell without a timestamp of " + cell.getClass() + ", which is none of HBase's");
    }
    try {
      own.setTimestamp(now);
    } catch (IOException e) {
      throw new IllegalArgumentException("a cell that takes no timestamp: " + cell, e);
    }
  }

  private void hashAll(KeyHash hash) {
    Map<Long, Integer> seen = new HashMap<>(2 * puts.size());
    for (int i = 0; i < hashes.length; i++) {
      byte[] row = puts.get(i).getRow();
      hashes[i] = hash.hash(row);
      Integer before = seen.putIfAbsent(hashes[i], i);
      // Two rows of one hash are no twins: the second has to wait for the first, see Claims.
      boolean twin = before != null && Arrays.equals(puts.get(before).getRow(), row);
      first[i] = twin ? before : NO_TWIN;
      open.set(i, !twin);
    }
  }

  long[] hashes() {
    return hashes;
  }

  /** The hashes of some rows. */
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
    return (int) Arrays.stream(first).filter(before -> before != NO_TWIN).count();
  }

  /** The rows of which something is still to be known, ascending. */
  int[] open() {
    return open.stream().toArray();
  }

  boolean isOpen() {
    return !open.isEmpty();
  }

  void wasAsked(int rows) {
    asked += rows;
  }

  void isStored(int row) {
    open.clear(row);
    stored.set(row);
  }

  void isRepeat(int row) {
    open.clear(row);
  }

  /** It was sent, and nobody knows what came of it. */
  void isUnknown(int row, Throwable why) {
    open.clear(row);
    unknown.set(row);
    failed(why);
  }

  /** Nothing more is tried: rows that are open stay so. */
  void failed(Throwable why) {
    if (failure == null) {
      failure = why;
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  int unfinished() {
    return unknown.cardinality() + open.cardinality();
  }

  /** What came of it. */
  Written result() throws UnfinishedWriteException {
    Written written = new Written(puts.size(), stored, asked);
    if (unfinished() == 0) {
      return written; // if anything failed, then after all answers were there
    }
    List<Put> again = new ArrayList<>();
    for (int i = 0; i < puts.size(); i++) {
      int row = first[i] == NO_TWIN ? i : first[i];
      if (unknown.get(row) || open.get(row)) {
        again.add(puts.get(i));
      }
    }
    throw new UnfinishedWriteException(again, written, failure);
  }
}

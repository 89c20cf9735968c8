package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeFilter;
import io.winnow.hash.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;

/**
 * Writes rows into a table of HBase, each once: those that are certainly new without a question,
 * the others after asking HBase. What it has seen is in a directory, and outlives it.
 *
 * <p>The guarantee: a row that HBase has is not written again, and one that it has not is written,
 * whatever crashes: this process, this machine, or servers. (A call of a process that died may
 * arrive late, and give a second version of its rows; it does not if the Puts have timestamps of
 * their own.) For each row is in the filter, safe from a crash, before it is sent. What follows: a
 * row that was sent and is not known to have arrived is asked about when it comes again.
 *
 * <p>The precondition: <b>all rows of the table that anybody might give to this de-duplicator are
 * written through it</b>, or were there when its directory was filled. Clients that share a table
 * share out its rows, by a hash of the row for example, and each has a directory of its own; a row
 * must always come to the same one. Rows that are deleted in HBase are asked about, and written
 * again if they come again. Nobody but an application knows whether this is so; what can be seen,
 * that the directory belongs to another table, or that the table is not what it was, is refused at
 * the opening.
 *
 * <p>Cost: for each batch one fsync and one call to each server that is concerned, with Puts and
 * questions in it; a second one, with checkAndMutate, only for rows that the filter may contain and
 * HBase has not, one in 2500 new ones with the default rate. Beside this, what a {@link
 * CascadeFilter} costs. Batches of some hundred to a few thousand rows are best.
 *
 * <p>Thread-safe: threads that write at the same time share the filter, and the same row from two
 * of them is written once. One de-duplicator at a time has a directory.
 */
public final class Deduplicator implements Closeable {
  private final Connection connection;
  private final DedupOptions options;
  private final KeyHash hash;
  private final CascadeFilter filter;
  private final Claims claims = new Claims();
  private final LongAdder rows = new LongAdder();
  private final LongAdder blind = new LongAdder();
  private final LongAdder asked = new LongAdder();
  private final LongAdder absent = new LongAdder();
  private final LongAdder twins = new LongAdder();
  private final LongAdder unfinished = new LongAdder();

  private Deduplicator(
      Connection connection, DedupOptions options, KeyHash hash, CascadeFilter filter) {
    this.connection = connection;
    this.options = options;
    this.hash = hash;
    this.filter = filter;
  }

  /**
   * Opens a directory. One that is not there yet is made, and filled with the rows that the table
   * has: a scan of one column, which tells {@link DedupOptions#filling} how far it is, and goes on
   * where it was when it is broken off. Nobody may write to the table meanwhile.
   *
   * @param connection stays the caller's, and is not closed with this
   * @throws WrongTableException if the directory belongs to another table, or the table is not what
   *     it was: it was truncated, made anew or restored, or the directory is an older copy
   * @throws IOException if the directory cannot be read or written, or is open already, or HBase
   *     does not answer
   */
  public static Deduplicator open(Connection connection, Path directory, DedupOptions options)
      throws IOException {
    DedupDirectory opened = DedupDirectory.open(connection, directory, options);
    return new Deduplicator(connection, options, opened.hash(), opened.filter());
  }

  /**
   * Stores those of the rows that HBase has not. Returns when all of them are there, as safe as the
   * Puts' own durability says.
   *
   * <p>Cells without a timestamp get this machine's time, in the Puts that were given.
   *
   * @throws UnfinishedWriteException if of some rows that is not known; it says which
   * @throws IllegalArgumentException if a row has no cell in the column of the options, or is the
   *     mark's; then nothing was done
   */
  public Written write(List<Put> puts) throws UnfinishedWriteException {
    Batch batch = Batch.of(puts, hash, options);
    rows.add(batch.size());
    twins.add(batch.twins());
    while (batch.isOpen() && !batch.hasFailed()) {
      try (Claims.Claim claim = claims.claim(batch.hashes(), batch.open())) {
        writeClaimed(batch, claim.rows());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        batch.failed(e);
      } catch (IOException e) {
        batch.failed(e);
      }
    }
    unfinished.add(batch.unfinished());
    return batch.result();
  }

  /** Rows that nobody else writes now. */
  private void writeClaimed(Batch batch, int... claimed) throws IOException {
    BitSet maybe = filter.mightContain(batch.hashes(claimed), 0, claimed.length);
    makeSafe(batch, select(claimed, maybe, false));
    List<Row> actions = new ArrayList<>(claimed.length);
    for (int i = 0; i < claimed.length; i++) {
      Put put = batch.put(claimed[i]);
      actions.add(maybe.get(i) ? question(put) : put);
    }
    int questions = maybe.cardinality();
    batch.wasAsked(questions);
    asked.add(questions);
    blind.add(claimed.length - questions);
    Object[] results = send(actions, batch);
    BitSet missing = new BitSet();
    for (int i = 0; i < claimed.length; i++) {
      if (!(results[i] instanceof Result result)) {
        batch.isUnknown(claimed[i], causeOf(results[i]));
      } else if (!maybe.get(i)) {
        batch.isStored(claimed[i]);
      } else if (Boolean.TRUE.equals(result.getExists())) {
        batch.isRepeat(claimed[i]);
      } else {
        missing.set(i);
      }
    }
    writeIfAbsent(batch, select(claimed, missing, true));
  }

  /**
   * Rows that the filter may contain and HBase has not. Most are false positives. But one may have
   * been sent by a call that failed, or by a process that was killed, and still be under way in a
   * server: so HBase looks once more, in one step with the write.
   */
  private void writeIfAbsent(Batch batch, int... missing) throws IOException {
    if (missing.length == 0 || batch.hasFailed()) {
      return;
    }
    absent.add(missing.length);
    makeSafe(batch, missing); // the filter may have said maybe since it could not be read
    List<Row> actions = new ArrayList<>(missing.length);
    for (int row : missing) {
      Put put = batch.put(row);
      actions.add(
          CheckAndMutate.newBuilder(put.getRow())
              .ifNotExists(options.family(), options.qualifier())
              .build(put));
    }
    Object[] results = send(actions, batch);
    for (int i = 0; i < missing.length; i++) {
      if (!(results[i] instanceof CheckAndMutateResult result)) {
        batch.isUnknown(missing[i], causeOf(results[i]));
      } else if (result.isSuccess()) {
        batch.isStored(missing[i]);
      } else {
        batch.isRepeat(missing[i]);
      }
    }
  }

  /** From here on the filter says maybe of these rows, whatever crashes. */
  private void makeSafe(Batch batch, int... rows) throws IOException {
    if (rows.length > 0) {
      filter.insert(batch.hashes(rows), 0, rows.length);
      filter.sync();
    }
  }

  private static int[] select(int[] rows, BitSet which, boolean value) {
    int[] selected = new int[rows.length];
    int count = 0;
    for (int i = 0; i < rows.length; i++) {
      if (which.get(i) == value) {
        selected[count] = rows[i];
        count++;
      }
    }
    return Arrays.copyOf(selected, count);
  }

  private Get question(Put put) {
    return new Get(put.getRow())
        .addColumn(options.family(), options.qualifier())
        .setCheckExistenceOnly(true);
  }

  /** What came of each action: its result, or what went wrong, or null if that is not known. */
  private Object[] send(List<Row> actions, Batch batch) {
    Object[] results = new Object[actions.size()];
    try (Table table = connection.getTable(options.table())) {
      table.batch(actions, results);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      batch.failed(e);
    } catch (IOException | RuntimeException e) {
      batch.failed(e);
    }
    return results;
  }

  private static Throwable causeOf(Object result) {
    return result instanceof Throwable cause
        ? cause
        : new IOException("a server's answer is missing");
  }

  /** What it did since it was opened. */
  public DedupStatistics statistics() {
    return new DedupStatistics(
        rows.sum(),
        blind.sum(),
        asked.sum(),
        absent.sum(),
        twins.sum(),
        unfinished.sum(),
        filter.statistics());
  }

  /** Lets go of the directory. What was written is safe already. */
  @Override
  public void close() throws IOException {
    filter.close();
  }
}

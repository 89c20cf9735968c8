package io.winnow.hbase.dedup;

import io.winnow.KeyHash;
import io.winnow.cascade.CascadeFilter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;

/**
 * Writes each row once into a table of HBase. Rows that are certainly new are written without a
 * query; for the others HBase is queried first. The rows seen so far are recorded in a directory,
 * which outlives this object.
 *
 * <p>The guarantee: a row that HBase has is not written again, and one that it does not have is
 * written, whatever crashes: this process, this machine, or servers. (A call of a process that died
 * may arrive late, and add a second version of its rows; it does not if the Puts have timestamps of
 * their own.) It holds because each row is in the filter, safe from a crash, before it is sent. So
 * a row that was sent, but may not have arrived, is queried when it comes again.
 *
 * <p>The precondition: <b>all rows of the table that anybody might pass to this de-duplicator are
 * written through it</b>, or were there when its directory was filled. Clients that share a table
 * must divide its rows among them, by a hash of the row for example, and each has a directory of
 * its own; a row must always go to the same client. Rows that are deleted in HBase are queried, and
 * written again if they come again. Only the application knows whether the precondition holds. What
 * can be detected is refused at the opening: a directory that belongs to another table, or a table
 * that was truncated, made anew or restored.
 *
 * <p>Cost: for each batch one fsync and one call to each server that is concerned, with both Puts
 * and queries in it. A second call, with checkAndMutate, is made only for rows that the filter may
 * contain and HBase does not have: one in 2500 new rows with the default rate. Add the cost of a
 * {@link CascadeFilter}. Batches of some hundred to a few thousand rows are best.
 *
 * <p>Thread-safe: threads that write at the same time share the filter, and a row that two of them
 * write is written once. Only one de-duplicator at a time can have a directory open.
 */
public final class Deduplicator implements Closeable {
  private final Connection connection;
  private final DedupOptions options;
  private final KeyHash hash;
  private final CascadeFilter filter;
  private final Claims claims = new Claims();
  private final LongAdder rows = new LongAdder();
  private final LongAdder blind = new LongAdder();
  private final LongAdder queried = new LongAdder();
  private final LongAdder absent = new LongAdder();
  private final LongAdder twins = new LongAdder();
  private final LongAdder unfinished = new LongAdder();

  Deduplicator(Connection connection, DedupOptions options, KeyHash hash, CascadeFilter filter) {
    this.connection = connection;
    this.options = options;
    this.hash = hash;
    this.filter = filter;
  }

  /**
   * Opens a de-duplicator with its directory. If there is none yet, it is made, and its filter is
   * filled with the rows that the table has, by a scan of one column. The scan reports its progress
   * to {@link DedupOptions#filling}, and an interrupted one continues at the next opening. Nobody
   * may write to the table meanwhile.
   *
   * @param connection stays the caller's, and is not closed with this object
   * @throws WrongTableException if the directory belongs to another table; if the table was
   *     truncated, made anew or restored since; or if the directory is an older copy
   * @throws IOException if the directory cannot be read or written, or is open already, or HBase
   *     does not answer
   */
  public static Deduplicator open(Connection connection, Path directory, DedupOptions options)
      throws IOException {
    DedupDirectory opened = DedupDirectory.open(connection, directory, options);
    return new Deduplicator(connection, options, opened.hash(), opened.filter());
  }

  /**
   * Stores those rows of a batch that HBase does not have. Returns when all rows are there, as
   * durable as each Put's own durability says.
   *
   * <p>Cells without a timestamp get this machine's time; the passed Puts are changed.
   *
   * @throws UnfinishedWriteException if of some rows it is not known whether they are stored; the
   *     exception has these rows
   * @throws IllegalArgumentException if a row has no cell in the column of the options, or is the
   *     mark's row; then nothing was written
   */
  public Written write(List<Put> puts) throws UnfinishedWriteException {
    Batch batch = new Batch(puts, hash, options);
    rows.add(batch.size());
    twins.add(batch.twins());
    while (batch.unfinished() > 0 && !batch.hasFailed()) {
      try (Claims.Claim claim = claims.claim(batch.hashes(), batch.open())) {
        writeClaimed(batch, claim.rows());
      } catch (InterruptedException | IOException e) {
        batch.fail(e);
      }
    }
    unfinished.add(batch.unfinished());
    return batch.result();
  }

  /** Writes those of the claimed rows to HBase that are not there yet. */
  private void writeClaimed(Batch batch, int... claimed) throws IOException {
    BitSet maybe = filter.mightContain(batch.hashes(claimed), 0, claimed.length);
    insertAndSync(batch, select(claimed, maybe, false));
    List<Row> actions = new ArrayList<>(claimed.length);
    for (int i = 0; i < claimed.length; i++) {
      Put put = batch.put(claimed[i]);
      actions.add(maybe.get(i) ? existenceGet(put) : put);
    }
    int queries = maybe.cardinality();
    batch.addQueried(queries);
    queried.add(queries);
    blind.add(claimed.length - queries);
    Object[] results = send(actions, batch);
    BitSet missing = new BitSet();
    for (int i = 0; i < claimed.length; i++) {
      if (!(results[i] instanceof Result result)) {
        batch.fail(causeOf(results[i])); // nobody knows if the row is stored
      } else if (!maybe.get(i)) {
        batch.markStored(claimed[i]);
      } else if (Boolean.TRUE.equals(result.getExists())) {
        batch.markRepeat(claimed[i]);
      } else {
        missing.set(i);
      }
    }
    writeIfAbsent(batch, select(claimed, missing, true));
  }

  /**
   * Writes those rows of a batch that the filter may contain and HBase does not have. Most of them
   * are false positives. But one may have been sent by a call that failed, or by a process that was
   * killed, and may still be on its way in a server: so HBase checks once more, in one step with
   * the write.
   */
  private void writeIfAbsent(Batch batch, int... missing) throws IOException {
    if (missing.length == 0 || batch.hasFailed()) {
      return;
    }
    absent.add(missing.length);
    insertAndSync(
        batch, missing); // the filter may have answered maybe because it could not be read
    List<Row> actions = new ArrayList<>(missing.length);
    for (int row : missing) {
      Put put = batch.put(row);
      actions.add(
          CheckAndMutate.newBuilder(put.getRow())
              .ifNotExists(options.family, options.qualifier)
              .build(put));
    }
    Object[] results = send(actions, batch);
    for (int i = 0; i < missing.length; i++) {
      if (!(results[i] instanceof CheckAndMutateResult result)) {
        batch.fail(causeOf(results[i])); // nobody knows if the row is stored
      } else if (result.isSuccess()) {
        batch.markStored(missing[i]);
      } else {
        batch.markRepeat(missing[i]);
      }
    }
  }

  /**
   * Inserts rows of a batch into the de-duplicator's filter and syncs it. After that the filter
   * answers <i>maybe</i> for these rows, whatever crashes.
   */
  private void insertAndSync(Batch batch, int... rows) throws IOException {
    if (rows.length > 0) {
      filter.insert(batch.hashes(rows), 0, rows.length);
      filter.sync();
    }
  }

  private static int[] select(int[] rows, BitSet which, boolean value) {
    return IntStream.range(0, rows.length)
        .filter(i -> which.get(i) == value)
        .map(i -> rows[i])
        .toArray();
  }

  private Get existenceGet(Put put) {
    return new Get(put.getRow())
        .addColumn(options.family, options.qualifier)
        .setCheckExistenceOnly(true);
  }

  /**
   * Sends puts or gets to HBase and returns their results. Returns the result of each: a result, an
   * exception, or null if the result is not known.
   */
  private Object[] send(List<Row> actions, Batch batch) {
    Object[] results = new Object[actions.size()];
    try (Table table = connection.getTable(options.table)) {
      table.batch(actions, results);
    } catch (InterruptedException | IOException | RuntimeException e) {
      batch.fail(e);
    }
    return results;
  }

  private static Throwable causeOf(Object result) {
    return result instanceof Throwable cause
        ? cause
        : new IOException("a server's response is missing");
  }

  /** Returns the counts of rows since the de-duplicator was opened. */
  public DedupStatistics statistics() {
    return new DedupStatistics(
        rows.sum(),
        blind.sum(),
        queried.sum(),
        absent.sum(),
        twins.sum(),
        unfinished.sum(),
        filter.statistics());
  }

  /** Closes the de-duplicator's directory. All acknowledged rows are safe already. */
  @Override
  public void close() throws IOException {
    filter.close();
  }

  @Override
  public String toString() {
    return "a de-duplicator of the table " + options.table + ", with " + filter;
  }
}

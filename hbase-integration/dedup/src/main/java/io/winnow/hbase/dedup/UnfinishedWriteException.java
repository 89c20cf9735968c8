package io.winnow.hbase.dedup;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;

/**
 * Of some rows of a batch nobody knows whether they are stored: a server did not answer, the filter
 * could not be written, or the thread was interrupted.
 *
 * <p>What to do: write {@link #unfinished} again, these very Puts, as often as it takes. They have
 * their timestamps by now, so that a row has one version even if both attempts reach HBase. All
 * other rows of the batch are stored, and count as written.
 */
public final class UnfinishedWriteException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient List<Put> unfinished;
  private final transient Written written;

  UnfinishedWriteException(List<Put> unfinished, Written written, Throwable cause) {
    super(
        "of "
            + unfinished.size()
            + " of "
            + written.rows()
            + " rows it is not known whether they are stored, write them again: "
            + cause.getMessage(),
        cause);
    this.unfinished = List.copyOf(unfinished);
    this.written = written;
  }

  /** The Puts to write again. */
  public List<Put> unfinished() {
    return unfinished;
  }

  /** What came of the others. */
  public Written written() {
    return written;
  }
}

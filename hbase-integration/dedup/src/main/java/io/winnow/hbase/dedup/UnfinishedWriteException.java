package io.winnow.hbase.dedup;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;

/**
 * Reports that it is unknown if some rows of a batch are stored: a server did not answer, the
 * filter could not be written, or the thread was interrupted.
 *
 * <p>The caller should write the Puts of {@link #unfinished} again, the same objects, until it
 * succeeds. They have their timestamps by now, so a row has one version even if both attempts reach
 * HBase. All other rows of the batch are stored, and count as written.
 */
public final class UnfinishedWriteException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient List<Put> unfinished;
  private final transient Written written;

  UnfinishedWriteException(List<Put> unfinished, Written written, Throwable cause) {
    super(
        "it is not known of "
            + unfinished.size()
            + " of "
            + written.rows()
            + " rows whether they are stored, write these again: "
            + cause.getMessage(),
        cause);
    this.unfinished = List.copyOf(unfinished);
    this.written = written;
  }

  /** Returns the Puts whose result is unknown, which should be written again. */
  public List<Put> unfinished() {
    return unfinished;
  }

  /** Returns the result of those rows of the batch whose result is known. */
  public Written written() {
    return written;
  }
}

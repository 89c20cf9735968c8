package io.winnow.hbase.it;

import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.hbase.dedup.DedupOptions;
import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.dedup.UnfinishedWriteException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;

/** The example of docs/dedup.md: what stands between the marks. */
final class DedupExample {
  private static final byte[] FAMILY = Rows.FAMILY;
  private static final byte[] QUALIFIER = Rows.QUALIFIER;

  private DedupExample() {}

  static void run(Connection connection, Path directory, List<List<Put>> batches)
      throws IOException {
    // example begin
    DedupOptions options =
        DedupOptions.of(TableName.valueOf("events"), FAMILY, QUALIFIER)
            .filter(
                CascadeOptions.defaults()
                    .expectedMaximum(2_000_000_000)
                    .fanOutFor(CascadeMix.of(1)));
    try (Deduplicator events = Deduplicator.open(connection, directory, options)) {
      for (List<Put> batch : batches) {
        List<Put> rest = batch;
        int attempts = 0;
        while (!rest.isEmpty()) {
          try {
            events.write(rest);
            rest = List.of();
          } catch (UnfinishedWriteException e) {
            attempts++;
            if (attempts == 10 || Thread.currentThread().isInterrupted()) {
              throw e; // it has the rows: close, open again, and write these very Puts
            }
            rest = e.unfinished(); // these very Puts, once more
          }
        }
      }
    }
    // example end
  }
}

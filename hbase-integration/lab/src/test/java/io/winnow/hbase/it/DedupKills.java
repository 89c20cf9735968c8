package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.dedup.Deduplicator;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;

/** Writers that are killed at random moments, and started again. */
final class DedupKills {

  /** So long at most, about, does a writer live that is to be killed. */
  private static final int MOST_MILLIS = 400;

  /**
   * Batches for about ten minutes of a fast machine: a kill that comes late still meets a writer.
   */
  private static final int BATCHES = 200_000;

  /** Batches that no writer had begun, for the one that is not killed. */
  private static final int EXTRA_BATCHES = 100;

  private DedupKills() {}

  /** Kills so many writers; then one writes what is left, and each row is there once. */
  static void killWriters(TestServer server, Path scratch, TableName table, int kills, long seed)
      throws Exception {
    Random random = new Random(seed);
    Path directory = scratch.resolve(table.getNameAsString());
    Path file = scratch.resolve(table.getNameAsString() + ".notes");
    DedupEvents.Notes notes = DedupEvents.Notes.in(file, BATCHES);
    int port = server.configuration().getInt("hbase.zookeeper.property.clientPort", 0);
    int inTheMiddle = 0;
    for (int kill = 0; kill < kills; kill++) {
      int before = notes.allAcknowledged().cardinality();
      Process writer =
          DedupWriter.start(port, table, directory, file, notes.batches(), DedupWriter.End.NONE)
              .start();
      try {
        // Its first word is that it is open.
        assertEquals('o', writer.getInputStream().read(), "the writer did not open " + directory);
        if (kill % 2 == 0) { // the others may be killed before they have written anything
          TestServer.await(
              "an acknowledged batch", () -> notes.allAcknowledged().cardinality() > before);
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS));
      } finally {
        writer.destroyForcibly();
      }
      assertTrue(writer.waitFor(TestServer.PATIENCE_SECONDS, TimeUnit.SECONDS));
      int begun = notes.allBegun().cardinality();
      int acknowledged = notes.allAcknowledged().cardinality();
      inTheMiddle += begun > acknowledged ? 1 : 0;
      DedupEvents.assertWhole(server.connection(), table, notes);
    }
    assertTrue(inTheMiddle > 0, "no kill met a batch that was under way");
    DedupEvents.Notes rest = notes.first(notes.allBegun().length() + EXTRA_BATCHES);
    try (Deduplicator deduplicator =
        Deduplicator.open(server.connection(), directory, DedupEvents.options(table))) {
      DedupWriter.writeAll(deduplicator, rest);
    }
    assertEquals(rest.batches(), notes.allAcknowledged().cardinality());
    DedupEvents.assertWhole(server.connection(), table, notes);
  }
}

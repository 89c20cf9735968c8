package io.winnow.hbase.dedup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.KeyHash;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The text of each public type of the de-duplicator says what the object is. */
class DedupTextTest {
  private static final CascadeOptions FILTER = CascadeOptions.defaults().memoryBudget(1 << 20);
  private static final DedupOptions OPTIONS =
      DedupOptions.of(TableName.valueOf("events"), new byte[] {'f'}, new byte[] {'q'})
          .filter(FILTER);

  @Test
  void aDeduplicatorNamesItsTableAndItsDirectory(@TempDir Path directory) throws IOException {
    String text = "a de-duplicator of the table events, with a cascade filter in " + directory;
    Deduplicator opened;
    try (CascadeFilter filter = CascadeFilter.open(directory, FILTER)) {
      opened = new Deduplicator(null, OPTIONS, KeyHash.XXH3, filter);
      assertEquals(text, opened.toString());
    }
    assertEquals(text, opened.toString(), "closed");
  }

  @Test
  void optionsNameTheTableItsColumnAndItsMark() {
    String text = OPTIONS.mark(new byte[] {'m'}, new byte[] {0, 'r'}).toString();
    String start = "DedupOptions[table=events, column=f:q, mark=m:\\x00r, filter=CascadeOptions[";
    assertEquals(start, text.substring(0, start.length()));
  }

  @Test
  void resultsAndCountsNameTheirFields() {
    BitSet stored = new BitSet();
    stored.set(2);
    assertEquals("Written[rows=3, stored={2}, queried=1]", new Written(3, stored, 1).toString());
    assertEquals(
        "DedupStatistics[rows=1, blind=2, queried=3, queriedAndAbsent=4, twins=5, unfinished=6,"
            + " filter=null]",
        new DedupStatistics(1, 2, 3, 4, 5, 6, null).toString());
  }

  @Test
  void exceptionsSayWhatToDo() {
    assertEquals(
        "io.winnow.hbase.dedup.WrongTableException: there is no table events",
        new WrongTableException("there is no table events").toString());
    Throwable cause = new IOException("no answer");
    Written written = new Written(3, new BitSet(), 1);
    String text = new UnfinishedWriteException(List.of(), written, cause).toString();
    assertEquals(
        "io.winnow.hbase.dedup.UnfinishedWriteException: it is not known of 0 of 3 rows whether they"
            + " are stored, write these again: no answer",
        text);
  }
}

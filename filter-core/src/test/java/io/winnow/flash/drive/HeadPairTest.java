package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One of the two heads is whole at each moment, and the newer one is known. */
class HeadPairTest {
  private static final int PAGE_BYTES = 4096;

  @TempDir private Path directory;
  private final FaultyAccess faults = new FaultyAccess(1);
  private final AtomicInteger fsyncs = new AtomicInteger();
  private PageStore store;
  private HeadPair<Long> heads;
  private Long older;

  @BeforeEach
  void makeTwoBlankPages() throws IOException {
    faults.failingFsyncs = path -> fsyncs.incrementAndGet() < 0;
    store =
        PageStore.create(
            faults, directory.resolve("heads"), PAGE_BYTES, 0, false, new IoCounters());
    try (PageFrame frame = PageFrames.allocate(2, PAGE_BYTES)) {
      frame.fill(0, 0, 0);
      frame.fill(1, 0, 0);
      store.append(2, frame);
    }
    heads =
        new HeadPair<>(
            store,
            page -> page.getLong(HeadPair.SECOND),
            (content, page) -> page.putLong(HeadPair.SECOND, content));
  }

  @AfterEach
  void close() throws IOException {
    heads.close();
    assertEquals(0, PageFrames.liveFrames());
  }

  private void write(long content) throws IOException {
    heads.write(content, true);
  }

  private void assertHeads(long newer, Long older) throws IOException {
    assertEquals(newer, read());
    assertEquals(older, this.older);
    assertEquals(older == null, heads.isAlone());
  }

  /** Returns the newer head; the field has the older one then, or null. */
  private long read() throws IOException {
    older = null;
    return heads.readFilter(
        (newer, other) -> {
          older = other;
          return true;
        });
  }

  @Test
  void theOlderHeadIsOverwritten() throws IOException {
    assertNull(heads.read());
    write(10);
    assertHeads(10L, null);
    for (long content = 11; content < 16; content++) {
      write(content);
      assertHeads(content, content - 1);
    }
    assertEquals(6, fsyncs.get());
    assertEquals(List.of(), heads.verify());
  }

  /** It may have been written in part: the other head is the only one that is whole. */
  @Test
  void aWriteThatFailedIsRepeatedInTheSamePlace() throws IOException {
    write(10);
    write(11);
    faults.failingWrites = path -> true;
    assertThrows(IOException.class, () -> write(12));
    faults.failingWrites = path -> false;
    write(13);
    assertHeads(13L, 11L);
  }

  /** It is not synced: a power failure may damage it, and what it overwrites. */
  @Test
  void aHeadThatIsWrittenAheadIsOverwrittenByTheNextOne() throws IOException {
    write(10);
    write(11);
    heads.writeAhead(12L);
    assertEquals(2, fsyncs.get());
    write(13);
    assertHeads(13L, 11L);
  }

  @Test
  void theNewerHeadIsWrittenAgainInItsPlaceAndSynced() throws IOException {
    write(10);
    write(11);
    IoSnapshot before = store.counters.snapshot();
    heads.writeAgain();
    IoSnapshot done = store.counters.snapshot().since(before);
    assertEquals(new IoSnapshot(1, PAGE_BYTES, 1, PAGE_BYTES), done);
    assertEquals(3, fsyncs.get());
    assertHeads(11L, 10L);
  }

  /** Its checksum matches. What is left is not known to be the newer head. */
  @Test
  void aHeadWithASequenceOfTheOtherPlaceOrNoneIsDamaged() throws IOException {
    for (long sequence : new long[] {3, 0, -2}) {
      write(10);
      write(11);
      try (PageFrame frame = PageFrames.allocate(1, PAGE_BYTES)) {
        store.read(0, frame);
        frame.bytes.putLong(PageStore.HEADER_BYTES + 16, sequence);
        store.write(0, 1, frame);
      }
      long left = heads.read();
      assertTrue(heads.isAlone());
      assertTrue(left == 10 || left == 11, "head " + left);
      List<DamagedPageException> damage = heads.verify();
      assertEquals(List.of(0L), damage.stream().map(DamagedPageException::page).toList());
    }
  }
}

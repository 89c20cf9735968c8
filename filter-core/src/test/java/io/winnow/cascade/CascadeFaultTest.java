package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that are lost, damaged or others', reads that fail, and files that merges have deleted. */
@Tag("long")
class CascadeFaultTest extends FaultyCascade {
  /** A level of some thirty pages, by itself. */
  private Path oneLevel(CascadeFilter filter) throws IOException {
    insert(filter, 0, 40_000);
    filter.sync();
    filter.awaitMerges();
    return directory.resolve("level-" + filter.statistics().levels().get(0).file());
  }

  private static void damage(Path level, int firstPage, int step, long pages) throws IOException {
    byte[] bytes = Files.readAllBytes(level);
    for (int page = firstPage; page < pages; page += step) {
      bytes[page * 4096 + 1234] ^= 16;
    }
    Files.write(level, bytes);
  }

  @Test
  void aDriveThatLosesAThirdOfALevelIsNoPlaceForAMerge() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      Path level = oneLevel(filter);
      damage(level, 0, 3, filter.statistics().levels().get(0).pages());
      int positives = 0;
      for (long i = 0; i < 40_000; i += 20) {
        assertTrue(filter.mightContain(key(i)));
        positives += filter.mightContain(key(-1 - i)) ? 1 : 0;
      }
      assertTrue(positives > 2000 / 4, "a damaged page has to answer present: " + positives);
      CascadeStatistics statistics = filter.statistics();
      assertTrue(statistics.get(CascadeCount.FAILED_LOOKUPS) > 0);
      assertInstanceOf(DamagedPageException.class, statistics.lastLookupFailure());
      assertTrue(statistics.lastLookupFailure().getMessage().contains(level.toString()));
      insert(filter, 40_000, 40_010);
      IOException failure = assertThrows(IOException.class, filter::sync);
      assertTrue(
          failure.getMessage().matches("(?s).*page \\d+ of .*level-.*"), failure::getMessage);
      for (long i = 0; i < 40_010; i += 10) {
        assertTrue(filter.mightContain(key(i)));
      }
      assertEquals(0, filter.statistics().doubtfulShare());
      assertThrows(IOException.class, filter::close);
    }
  }

  /** What a page had is in doubt from then on, for good; everything else goes on as ever. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPageThatIsLostCostsItsRangeAndNoInserts(boolean deletes) throws IOException {
    CascadeOptions options = options().durability(Durability.NONE).deletes(deletes);
    double share;
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      Path level = oneLevel(filter);
      long pages = filter.statistics().levels().get(0).pages();
      damage(level, 7, 1000, pages);
      insert(filter, 40_000, 400_000);
      filter.awaitMerges();
      assertInstanceOf(DamagedPageException.class, filter.statistics().lastMergeFailure());
      share = filter.statistics().doubtfulShare();
      assertTrue(share > 0 && share < 2.0 / pages, share + " of " + pages + " pages");
      assertPresent(filter, 0, 400_000);
      if (deletes) {
        filter.delete(key(3));
      }
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(share, filter.statistics().doubtfulShare());
      assertPresent(filter, 4, 400_000);
      long[] absent = LongStream.range(1, 20_001).map(i -> key(-i)).toArray();
      int positives = filter.mightContain(absent, 0, absent.length).cardinality();
      double expected = absent.length * (share + filter.statistics().expectedRate());
      assertEquals(expected, positives, 5 * Math.sqrt(expected));
    }
  }

  /**
   * A drive may write a page to another place, or not at all, or bring an old one back: none of
   * these is the page that was meant, though its checksum is right where it belongs.
   */
  @ParameterizedTest
  @ValueSource(strings = {"another file's", "another place's", "an old one", "zeros"})
  void aPageThatIsNotTheOneThatWasMeantIsDoubt(String what) throws IOException {
    CascadeOptions options = options().durability(Durability.NONE).fanOut(4);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      Path first = oneLevel(filter);
      byte[] old = Files.readAllBytes(first);
      insert(filter, 40_000, 150_000);
      filter.sync();
      filter.awaitMerges();
      CascadeStatistics.Level level = filter.statistics().levels().get(0);
      Path path = directory.resolve("level-" + level.file());
      byte[] bytes = Files.readAllBytes(path);
      byte[] other = what.equals("another place's") ? bytes.clone() : old;
      for (int page = 0; page < Math.min(level.pages(), 20); page++) {
        int from = what.equals("another place's") ? page + 1 : page;
        byte[] source = what.equals("zeros") ? new byte[other.length] : other;
        System.arraycopy(source, from * 4096, bytes, page * 4096, 4096);
      }
      Files.write(path, bytes);
      long[] keys = LongStream.range(0, 150_000).map(FaultyCascade::key).toArray();
      assertEquals(keys.length, filter.mightContain(keys, 0, keys.length).cardinality());
      assertTrue(filter.statistics().get(CascadeCount.FAILED_LOOKUPS) > 0);
    }
  }

  /** Which is right for its file and place by its checksum, and begins with another fence. */
  @Test
  void aPageThatTheFencesDoNotMeanIsDamaged() throws IOException {
    SlotShape shape = new SlotShape(40, false);
    SlotBuffer slots = new SlotBuffer();
    slots.ensure(3);
    slots.slots[0] = 5L << 8;
    slots.slots[1] = 6L << 8;
    slots.slots[2] = 7L << 8;
    slots.size = 3;
    PageStore store = PageStore.create(directory.resolve("a-level"), 4096);
    try (CodedPages pages = CodedPages.of(shape, slots, 30, 4096)) {
      pages.appendTo(store);
    }
    for (int fence : new int[] {5, 4}) {
      CascadeLevel level =
          new CascadeLevel(
              shape, new Manifest.LevelEntry(1, 1, 3, 1, 0), new int[] {fence}, store, ended -> {});
      CascadeCounters counters = new CascadeCounters(CascadeListener.NONE);
      try (PageFrame frame = level.frame()) {
        if (fence == 5) {
          assertEquals(1, Copies.keys(level.find(6L << 8, frame, counters)));
        } else {
          assertThrows(DamagedPageException.class, () -> level.find(6L << 8, frame, counters));
        }
      }
    }
  }

  @Test
  void aReadThatFailsIsAnsweredPresent() throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options().durability(Durability.NONE));
    try (filter) {
      insert(filter, 0, 20_000);
      filter.sync();
      filter.awaitMerges();
      Path level = directory.resolve("level-" + filter.statistics().levels().get(0).file());
      try (var channel =
          java.nio.channels.FileChannel.open(level, java.nio.file.StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      long[] keys = new long[200];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = key(i);
        assertTrue(filter.mightContain(keys[i]));
      }
      assertEquals(200, filter.mightContain(keys, 0, keys.length).cardinality());
      assertEquals(400, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
    }
    assertFalse(Files.exists(directory.resolve("MANIFEST.new")));
  }

  @Test
  void aCloseThatFailsAfterTheLastReadHarmsNobody() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      faults.failingCloses = path -> path.getFileName().toString().startsWith("level-");
      insert(filter, 0, 400_000);
      filter.awaitMerges();
      assertTrue(
          filter.statistics().get(CascadeCount.ENTRIES_MERGED)
              > filter.statistics().get(CascadeCount.ENTRIES_FLUSHED));
      assertEquals(null, filter.statistics().lastMergeFailure());
      assertPresent(filter, 0, 400_000);
    }
  }

  /** No answer, rather than "not there". */
  @Test
  void anErrorInABatchIsTheCallers() throws IOException {
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.NONE))) {
      insert(filter, 0, 20_000);
      filter.sync();
      filter.awaitMerges();
      long[] keys = LongStream.range(0, 500).map(FaultyCascade::key).toArray();
      faults.readError = new InternalError("injected");
      assertThrows(InternalError.class, () -> filter.mightContain(keys, 0, keys.length));
      assertThrows(InternalError.class, () -> filter.mightContain(keys[0]));
      faults.readError = null;
      assertEquals(500, filter.mightContain(keys, 0, keys.length).cardinality());
    }
  }

  /** An interrupt closes the files that are read, and merges have deleted them by then. */
  @Test
  void fingerprintsOutliveMergesAndInterrupts() throws IOException {
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      insert(filter, 0, 150_000);
      filter.sync();
      filter.awaitMerges();
      int found = 0;
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        insert(filter, 150_000, 600_000);
        filter.awaitMerges();
        while (fingerprints.next()) {
          if (found++ % 1000 == 0) {
            Thread.currentThread().interrupt();
          }
        }
        assertTrue(Thread.interrupted());
      }
      assertEquals(150_000, found, 20.0);
      try (Stream<Path> files = Files.list(directory)) {
        assertEquals(
            filter.statistics().levels().size(),
            files.filter(file -> file.getFileName().toString().startsWith("level-")).count());
      }
    }
  }
}

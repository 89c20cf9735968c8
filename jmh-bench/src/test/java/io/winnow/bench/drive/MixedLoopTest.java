package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.bench.Keys;
import io.winnow.bench.Run;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The loop counts what its filter does, and its events are what they say. */
class MixedLoopTest {
  @TempDir private Path directory;

  private final Run made = Benches.made();

  /** A set in memory, with faults. */
  private static final class PlainSet implements Structure {
    private final Set<Long> keys = new HashSet<>();
    private final Set<Long> lost = new HashSet<>();

    /** Of so many keys one is lost; 0 for none. */
    private int loses;

    /** Whether everything is there. */
    private boolean believesAll;

    private long pages;
    private long inserts;
    private long lookupsOfLost;

    @Override
    public void insert(long keyHash) {
      inserts++;
      if (loses == 0 || Long.remainderUnsigned(keyHash, loses) != 0) {
        keys.add(keyHash);
      } else {
        lost.add(keyHash);
      }
    }

    @Override
    public boolean mightContain(long keyHash) {
      pages += 2;
      if (lost.contains(keyHash)) {
        lookupsOfLost++;
      }
      return believesAll || keys.contains(keyHash);
    }

    @Override
    public State state() {
      return new State(new IoSnapshot(0, 0, 0, 0), 0, pages, 1, true);
    }

    @Override
    public void close() {}
  }

  private MixedLoop run(PlainSet set, double repeats, boolean batched) throws IOException {
    Events events = new Events(0);
    events.fill(set, 10_000);
    MixedLoop loop = new MixedLoop(made, "set", set, events, repeats, batched ? 100 : 1);
    while (loop.repeated + loop.fresh < 20_000) { // a busy machine does little in a moment
      loop.run(0.02);
    }
    loop.endMoment(1);
    return loop;
  }

  @ParameterizedTest
  @CsvSource({"0, true", "0, false", "0.5, true", "0.5, false", "0.95, true", "0.95, false"})
  void itLooksUpAndInsertsEachEvent(double share, boolean batched) throws IOException {
    PlainSet set = new PlainSet();
    MixedLoop loop = run(set, share, batched);
    long events = loop.repeated + loop.fresh;
    assertEquals(10_000 + events, set.inserts);
    assertEquals(10_000 + loop.fresh, set.keys.size());
    assertEquals(share * events, loop.repeated, 6 * Math.sqrt(events * share * (1 - share)) + 1e-9);
    assertEquals(0, loop.missed);
    assertEquals(0, loop.mistaken);
    assertEquals(2, made.results.median("cascade.mix", "pages", "filter", "set").orElseThrow());
    assertEquals(batched ? events / 100 : events, loop.nanos.getTotalCount());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lostKeysAndFalsePositivesAreCounted(boolean batched) throws IOException {
    PlainSet lossy = new PlainSet();
    lossy.loses = 10;
    MixedLoop loop = run(lossy, 0.95, batched);
    assertEquals(lossy.lookupsOfLost, loop.missed);
    assertTrue(loop.missed > 0);

    PlainSet believing = new PlainSet();
    believing.believesAll = true;
    loop = run(believing, 0.5, batched);
    assertEquals(loop.fresh, loop.mistaken);
    assertEquals(0, loop.missed);
  }

  @Test
  void warmUpIsNoSample() throws IOException {
    PlainSet set = new PlainSet();
    set.believesAll = true;
    Events events = new Events(0);
    events.fill(set, 100);
    MixedLoop loop = new MixedLoop(made, "set", set, events, 0.5, 10);
    loop.run(0.001);
    loop.reset();
    assertEquals(0, loop.fresh + loop.repeated + loop.mistaken);
    assertEquals(0, loop.nanos.getTotalCount());
    assertEquals(0, made.results.samples("cascade.mix", "perSecond").length);
  }

  /** A repeat is of any earlier event. */
  @Test
  void repeatsAreSpreadOverAllKeysThatCame() throws IOException {
    Events events = new Events(4);
    int[] seen = new int[4];
    long[] hashes = new long[1000];
    BitSet areRepeats = new BitSet();
    events.draw(1, hashes, areRepeats);
    assertEquals(1000, areRepeats.cardinality());
    assertEquals(4, events.distinct);
    for (long hash : hashes) {
      for (int key = 0; key < 4; key++) {
        seen[key] += Keys.present(key) == hash ? 1 : 0;
      }
    }
    for (int count : seen) {
      assertEquals(250, count, 80);
    }
  }

  /** The rival answers as a filter must, in batches too, and reads a page for each key. */
  @Test
  void thePageLocalBloomFilterReadsOnePageALookup() throws IOException {
    long keys = 1_000_000;
    try (PageLocalBloom bloom = pageLocal(keys)) {
      new Events(0).fill(bloom, keys);
      Structure.State state = bloom.state();
      assertTrue(state.traffic().writtenBytes() > state.flashBytes(), "most of it is on flash");
      long[] absent = new long[1000];
      long[] present = new long[1000];
      for (int i = 0; i < 1000; i++) {
        absent[i] = Keys.absent(i);
        present[i] = Keys.present(i * (keys / 1000));
      }
      assertTrue(bloom.mightContain(absent).cardinality() < 10);
      assertEquals(1000, bloom.state().lookupPages() - state.lookupPages());
      assertEquals(1000, bloom.mightContain(present).cardinality());
      assertTrue(bloom.mightContain(present[7]));
    }
  }

  @Test
  void theDriveReadsFasterThanNothing() throws IOException {
    try (Drive drive = Drive.create(directory.resolve("pages"), 3 << 20)) {
      for (int depth : List.of(1, 8)) {
        assertTrue(drive.pagesPerSecond(depth, 0.01) >= depth, "a page each at least");
      }
      assertTrue(drive.readMegabytesPerSecond(0.01) > 0);
      assertTrue(drive.writtenMegabytesPerSecond() > 0);
    }
  }

  @Test
  void lookupsGoOnWhileKeysComeIn() throws IOException {
    try (PageLocalBloom bloom = pageLocal(100_000)) {
      Events events = new Events(0);
      AbsentLookups lookups = new AbsentLookups(made, "lookups", "set", bloom, 16);
      lookups.duringInserts(events, 100_000, 3600);
      assertEquals(100_000, events.distinct, "it ends with the keys");
      Results results = made.results;
      assertEquals(
          List.of("absent, during inserts", "absent, batched, during inserts"),
          results.values("lookups", "work"));
      for (String work : results.values("lookups", "work")) {
        assertTrue(results.median("lookups", "operations", "work", work).orElse(0) > 0, work);
        assertTrue(results.median("lookups", "insertsPerSecond", "work", work).orElse(0) > 0, work);
      }
      lookups.duringInserts(events, 1L << 40, 0.01);
      assertTrue(events.distinct > 100_000, "or with the time");
    }
  }

  private PageLocalBloom pageLocal(long keys) throws IOException {
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults().keys(keys).rate(0.001).memoryBudget(1 << 19);
    return new PageLocalBloom(directory, options, 4);
  }
}

package io.winnow.hbase.read;

import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.Thrown;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks as HBase might hand them out, loads that fail, and whatever is thrown: no row is lost. */
class FilterReadPathTest {
  private static final int ROWS = 2000;

  @TempDir Path dir;

  private final Configuration conf =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "512"));
  private org.apache.hadoop.fs.Path path;
  private TamperedReader reader;
  private LogLines log;

  @BeforeEach
  void open() throws IOException {
    path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    reader = TamperedReader.open(conf, new CacheConfig(conf), path);
    log = new LogLines(WinnowFilterReader.class);
  }

  @AfterEach
  void close() throws IOException {
    log.close();
    reader.close(true);
    Thread.interrupted();
  }

  private static boolean asks(WinnowFilterReader filter, int number) {
    byte[] row = row(number);
    return filter.contains(row, 0, row.length, null);
  }

  /** The number of absent rows that pass, after every present one did. */
  private static int passed(WinnowFilterReader filter) {
    int passed = 0;
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
      passed += asks(filter, 2 * i + 1) ? 1 : 0;
    }
    return passed;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void blockMayBeASliceOfLargerMemory(boolean shared) throws IOException {
    reader.tamper(
        block -> TamperedReader.copy(block, new byte[3 * block.headerSize() + 1000], 71, shared));
    assertTrue(passed(reader.filter(null)) < 0.03 * ROWS);
    assertEquals(0, log.all().size(), log.all().toString());
  }

  /** Memory that HBase uses again must not be asked once the block was given back. */
  @Test
  void sharedMemoryIsNotRemembered() throws IOException {
    BlockCache cache = new LruBlockCache(64 << 20, 4096, false, conf);
    reader.close(true);
    reader =
        TamperedReader.open(conf, new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP), path);
    byte[] pool = new byte[1000];
    reader.tamper(
        block -> {
          Arrays.fill(pool, (byte) 0); // what another block might leave
          return TamperedReader.copy(block, pool, 40, true);
        });
    WinnowFilterReader filter = reader.filter(null);
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < ROWS; i += 100) { // in another chunk each time
        assertTrue(asks(filter, 2 * i));
      }
    }
    assertEquals(40 * ROWS / 100, reader.loads());
  }

  @Test
  void blockOfAnotherSizeIsGivenUp() throws IOException {
    reader.tamper(
        block ->
            TamperedReader.block(
                block, java.nio.ByteBuffer.allocate(block.headerSize() + 100), false));
    WinnowFilterReader filter = reader.filter(null);
    assertTrue(asks(filter, 1));
    assertTrue(asks(filter, 3));
    assertEquals(1, reader.loads());
    assertEquals(1, log.errors().size());
    assertTrue(log.errors().get(0).contains("is damaged"), log.errors().get(0));
    assertEquals(0, WinnowMetricsDoor.probeFailures.get() - probeFailuresBefore);
  }

  private final long probeFailuresBefore = WinnowMetricsDoor.probeFailures.get();
  private final long loadFailuresBefore = WinnowMetricsDoor.loadFailures.get();
  private final long givenUpBefore = WinnowMetricsDoor.chunksGivenUp.get();

  /** A block that is loaded anew is compared with its checksum anew. */
  @Test
  void damageThatComesLaterIsFound() throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    assertFalse(asks(filter, 1));
    reader.tamper(
        block -> {
          HFileBlock copy = TamperedReader.copy(block, new byte[1000], 0, false);
          Arrays.fill(copy.getBufferReadOnly().array(), 150, 400, (byte) 0);
          return copy;
        });
    for (int i = 0; i < 20; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
    }
    assertEquals(1, log.errors().size(), log.all().toString());
    assertEquals(1, WinnowMetricsDoor.chunksGivenUp.get() - givenUpBefore);
  }

  /** The reader's filter, with a clock that the test moves on. */
  private WinnowFilterReader filterAt(AtomicLong nanoTime) throws IOException {
    DataInput meta = reader.getGeneralBloomFilterMetadata();
    assertEquals(FilterMeta.META_VERSION, meta.readInt());
    return WinnowFilterReader.open(meta, reader, null, nanoTime::get);
  }

  @Test
  void loadIsTriedAgainThreeTimesAtOnceAndThenAfterAPause() throws IOException {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000);
    WinnowFilterReader filter = filterAt(now);
    reader.tamper(
        block -> {
          throw new IOException("no disk");
        });
    for (int i = 0; i < 100; i++) {
      assertTrue(asks(filter, 1));
    }
    assertEquals(4, reader.loads());
    assertEquals(4, WinnowMetricsDoor.loadFailures.get() - loadFailuresBefore);
    assertEquals(0, WinnowMetricsDoor.chunksGivenUp.get() - givenUpBefore);
    assertEquals(0, log.errors().size());
    assertEquals(2, log.all().size(), log.all().toString());
    for (String line : log.all()) {
      assertTrue(line.contains("could not be loaded") && line.contains("no disk"), line);
      assertFalse(line.contains("damaged"), line);
    }
    assertTrue(log.all().get(1).contains("in 1 s"), log.all().get(1));
    now.addAndGet(1_000_000_000);
    assertTrue(asks(filter, 1));
    assertEquals(5, reader.loads(), "the pause is over");
    reader.tamper(block -> block);
    now.addAndGet(999_999_999);
    assertTrue(asks(filter, 1));
    assertEquals(5, reader.loads(), "the next pause is not");
    now.addAndGet(1);
    assertFalse(asks(filter, 1), "loaded again");
    assertEquals(3, log.all().size(), log.all().toString());
    assertTrue(log.all().get(2).contains("loaded again"), log.all().get(2));
    assertTrue(passed(filter) < 0.03 * ROWS);
  }

  /** A file has many chunks, and a disk that fails has all of them. */
  @Test
  void linesOfAFileDoNotGrowWithItsChunks() throws IOException {
    AtomicLong now = new AtomicLong();
    WinnowFilterReader filter = filterAt(now);
    for (int round = 0; round < 5; round++) {
      reader.tamper(
          block -> {
            throw new IOException("no disk");
          });
      for (int i = 0; i < 10; i++) {
        now.addAndGet(60_000_000_000L);
        assertEquals(ROWS, passed(filter));
      }
      reader.tamper(block -> block);
      now.addAndGet(60_000_000_000L);
      assertTrue(passed(filter) < 0.03 * ROWS);
    }
    assertTrue(WinnowMetricsDoor.loadFailures.get() - loadFailuresBefore > 100);
    assertEquals(3, log.all().size(), log.all().toString());
    assertTrue(log.all().get(0).contains("the metric loadFailures"), log.all().get(0));
    reader.tamper(
        block -> {
          HFileBlock copy = TamperedReader.copy(block, new byte[1000], 0, false);
          Arrays.fill(copy.getBufferReadOnly().array(), 150, 400, (byte) 0);
          return copy;
        });
    assertEquals(ROWS, passed(filter));
    assertTrue(WinnowMetricsDoor.chunksGivenUp.get() - givenUpBefore > 3);
    assertEquals(1, log.errors().size(), log.errors().toString());
    assertTrue(log.errors().get(0).contains("the metric chunksGivenUp"), log.errors().get(0));
  }

  @Test
  void pausesGrow() {
    LoadFailures failures = new LoadFailures(2);
    long now = Long.MAX_VALUE - 1000; // as System.nanoTime may be: it overflows in this test
    for (int i = 1; i <= 100; i++) {
      assertTrue(failures.mayTry(1, now), "failure " + i);
      failures.failed(1, now);
      long pause = i <= 3 ? 0 : Math.min(30, Math.max(1, Math.min(i, 40) - 10));
      assertEquals(pause, LoadFailures.pauseSeconds(Math.min(i, 40)));
      if (pause > 0) {
        assertFalse(failures.mayTry(1, now + pause * 1_000_000_000 - 1), "failure " + i);
      }
      now += pause * 1_000_000_000;
      assertTrue(failures.mayTry(0, now), "another chunk");
      if (pause > 0) {
        assertTrue(failures.mayTry(1, now));
        assertFalse(failures.mayTry(1, now), "one tries, others do not wait for it");
        now += pause * 1_000_000_000;
      }
    }
    failures.loaded(1);
    assertEquals(0, failures.inARow(1));
    assertTrue(failures.mayTry(1, now));
  }

  @Test
  void interruptIsNoFailureAndIsNotLost() throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    IOException[] interrupts = {
      new InterruptedIOException("call timed out"),
      new ClosedByInterruptException(),
      new IOException("wrapped", new IOException(new InterruptedIOException("deep")))
    };
    for (int i = 0; i < 30; i++) {
      IOException interrupt = interrupts[i % interrupts.length];
      reader.tamper(
          block -> {
            throw interrupt;
          });
      assertTrue(asks(filter, 1));
      assertTrue(Thread.interrupted(), interrupt.toString());
    }
    assertEquals(30, reader.loads());
    assertEquals(0, log.all().size(), log.all().toString());
    assertEquals(0, WinnowMetricsDoor.loadFailures.get() - loadFailuresBefore);
    reader.tamper(block -> block);
    assertFalse(asks(filter, 1));
    reader.tamper(
        block -> {
          throw new SocketTimeoutException("a slow disk is a failure");
        });
    assertTrue(asks(filter, 201));
    assertFalse(Thread.interrupted());
    assertEquals(1, WinnowMetricsDoor.loadFailures.get() - loadFailuresBefore);
  }

  @Test
  void whateverIsThrownMeansMaybeAndOneLine() throws IOException {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      WinnowFilterReader filter = reader.filter(new BloomFilterMetrics());
      long before = WinnowMetricsDoor.probeFailures.get();
      int lines = log.errors().size();
      reader.tamper(block -> Thrown.sneakily(kind.get()));
      for (int i = 0; i < 3; i++) { // after more failed loads there would be a pause
        assertTrue(asks(filter, 1));
        Thread.interrupted();
      }
      boolean counted = !(kind.get() instanceof IOException);
      assertEquals(counted ? 3 : 0, WinnowMetricsDoor.probeFailures.get() - before);
      assertEquals(lines + (counted ? 1 : 0), log.errors().size(), kind.get().toString());
      Thread.interrupted();
      reader.tamper(block -> block);
      assertFalse(asks(filter, 1), "it goes on");
    }
  }

  @Test
  void metricsThatFailCostNoAnswer() throws IOException {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      WinnowFilterReader filter =
          reader.filter(
              new BloomFilterMetrics() {
                @Override
                public void incrementRequests(boolean passed) {
                  Thrown.sneakily(kind.get());
                }
              });
      assertTrue(asks(filter, 2), "present");
      assertTrue(asks(filter, 1), "absent: answered without");
      Thread.interrupted();
    }
  }

  @Test
  void keysThatCannotBeReadMeanMaybe() throws IOException {
    WinnowFilterReader filter = reader.filter(null);
    byte[] row = row(3);
    assertFalse(filter.contains(row, 0, row.length, null));
    assertTrue(filter.contains(row, 5, row.length, null), "beyond the array");
    assertTrue(filter.contains(row, -1, row.length, null));
    assertTrue(filter.contains((byte[]) null, 0, 1, null));
    assertTrue(filter.contains((Cell) null, null, BloomType.ROW));
    KeyValue absent = StoreFiles.put(row, "q");
    assertFalse(filter.contains((Cell) absent, null, BloomType.ROW));
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      KeyValue unreadable =
          new KeyValue(absent) {
            @Override
            public byte[] getRowArray() {
              return Thrown.sneakily(kind.get());
            }
          };
      assertTrue(filter.contains((Cell) unreadable, null, BloomType.ROW), kind.get().toString());
      Thread.interrupted();
    }
  }

  /** HBase goes on without the filter for these two, and fails for others. */
  @Test
  void whateverIsThrownWhileOpeningIsARefusal() throws IOException {
    for (Supplier<Throwable> kind : Thrown.KINDS) {
      long before = WinnowMetricsDoor.openFailures.get();
      DataInputStream meta =
          new DataInputStream(
              new java.io.ByteArrayInputStream(Bytes.toBytes(FilterMeta.META_VERSION)) {
                @Override
                public synchronized int read(byte[] to, int offset, int length) {
                  return pos < count
                      ? super.read(to, offset, length)
                      : Thrown.<Integer>sneakily(kind.get());
                }

                @Override
                public synchronized int read() {
                  return pos < count ? super.read() : Thrown.<Integer>sneakily(kind.get());
                }
              });
      Throwable thrown =
          assertThrows(
              Throwable.class, () -> WinnowHooks.filterOf(WinnowHooks.peeked(meta), reader, null));
      assertTrue(
          thrown instanceof IOException || thrown instanceof FilterFormatException,
          thrown.toString());
      boolean interrupt = kind.get() instanceof InterruptedIOException;
      assertEquals(interrupt ? 0 : 1, WinnowMetricsDoor.openFailures.get() - before);
    }
  }

  /** A filter of prefixes is no filter of rows, though both are made of bytes. */
  @Test
  void filterOfAnotherKindThanTheFilesIsRefused() throws IOException {
    reader
        .getHFileInfo()
        .put(HStoreFile.BLOOM_FILTER_TYPE_KEY, Bytes.toBytes("ROWPREFIX_FIXED_LENGTH"));
    assertThrows(FilterFormatException.class, () -> reader.filter(null));
  }
}

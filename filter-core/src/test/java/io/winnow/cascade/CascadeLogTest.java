package io.winnow.cascade;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.Durability;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log ends where its level does, and that is not only where the level is full. */
class CascadeLogTest {
  private static final long SEED = 61;
  private static final int BLOCK_BYTES = 40 + 8192 * 8;

  @TempDir private Path directory;

  /** A log that became shorter after the close, at the end of a block or within one: refused. */
  @Test
  void aLogThatWasCutAfterACloseIsRefused() throws IOException {
    for (int opening = 0; opening < 2; opening++) { // the second one leaves two logs
      try (CascadeFilter filter = CascadeFilter.open(directory, CascadeOptions.defaults())) {
        for (int i = 0; i < 20_000; i++) {
          filter.insert(splitMix(SEED + opening, i));
        }
      }
    }
    for (int log = 1; log <= 2; log++) {
      Path file = directory.resolve("log-" + log);
      byte[] good = Files.readAllBytes(file);
      for (int length : new int[] {0, BLOCK_BYTES, BLOCK_BYTES + 100, good.length - 40}) {
        Files.write(file, Arrays.copyOf(good, length));
        FilterFormatException refused =
            assertThrows(
                FilterFormatException.class,
                () -> CascadeFilter.open(directory, CascadeOptions.defaults()));
        assertTrue(refused.getMessage().contains(file.toString()), refused.getMessage());
        assertThrows(FilterFormatException.class, () -> CascadeReader.open(directory));
      }
      Files.write(file, good);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, CascadeOptions.defaults())) {
      for (int i = 0; i < 40_000; i++) {
        assertTrue(filter.mightContain(splitMix(SEED + i / 20_000, i % 20_000)));
      }
    }
  }

  private static LogRecovery survey(FileAccess access, Path path, Manifest manifest)
      throws IOException {
    if (!CascadeDirectory.KIND.isIn(path)) {
      manifest.write(FileAccess.SYSTEM, path);
    }
    LogRecovery logs =
        new CascadeDirectory(
                CascadeDirectory.KIND.read(access, path),
                options(),
                new CascadeCounters(CascadeListener.NONE),
                manifest)
            .logs(manifest);
    logs.survey(manifest.closed);
    return logs;
  }

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).expectedMaximum(1_000_000);
  }

  private static long key(long i) {
    return TestHashes.splitMix(SEED, i);
  }

  private long logBytes(long first) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> logs =
          files.filter(file -> RecordLog.numberOf(file.getFileName().toString()) >= first).toList();
      return logs.stream().mapToLong(log -> log.toFile().length()).sum();
    }
  }

  /** Two operations per entry of the memory level, in as many logs as there are levels. */
  private void assertBounded(CascadeFilter filter, long first, int levels) throws IOException {
    long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
    long blocks = 1 + capacity * 2 * Long.BYTES / (BLOCK_BYTES - 40);
    long bytes = logBytes(first);
    assertTrue(bytes <= levels * (blocks + 1) * BLOCK_BYTES, bytes + " bytes of logs");
  }

  @Test
  void repeatsLeaveABoundedLog() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < 1_000_000; i++) {
        filter.insert(key(i % 1000));
        if (i % 50_000 == 0) {
          // one may not be written yet, and those before them may not be deleted yet
          assertBounded(filter, Manifest.read(directory).firstLog, 2);
        }
      }
      filter.sync();
      filter.awaitMerges();
      assertBounded(filter, 1, 1);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < 1000; i++) {
        assertTrue(filter.mightContain(key(i)));
      }
      assertEquals(1000, fingerprints(filter));
    }
  }

  /** Levels with nothing in them, in the end. */
  @Test
  void whatIsInsertedAndDeletedLeavesABoundedLog() throws IOException {
    CascadeOptions options = options().deletes(true);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      filter.insert(key(-1));
      for (int i = 0; i < 300_000; i++) {
        filter.insert(key(i));
        filter.delete(key(i));
      }
      filter.sync();
      filter.awaitMerges();
      assertBounded(filter, 1, 1);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertTrue(filter.mightContain(key(-1)));
      assertFalse(filter.mightContain(key(7)));
      assertEquals(1, fingerprints(filter));
    }
  }

  private static int fingerprints(CascadeFilter filter) throws IOException {
    int count = 0;
    try (Fingerprints fingerprints = Fingerprints.of(filter)) {
      while (fingerprints.next()) {
        count++;
      }
    }
    return count;
  }

  /** A drive fills up in the middle of a mark, or of a block: what got there is no loss. */
  @Test
  void aPartOfABlockAtTheEndOfALogIsNotTakenForALoss() throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    for (int free = 0; free < 100; free++) {
      Path path = directory.resolve("free-" + free);
      Files.createDirectories(path);
      faults.freeBytes.set(Long.MAX_VALUE);
      RecordLog first = RecordLog.create(faults, path, 9, 1, 1, 1 << 16);
      first.append(key(1) >>> 8);
      faults.freeBytes.set(free);
      faults.writesInParts = true;
      try {
        first.force();
      } catch (IOException e) {
        first.removeLast(1);
      }
      faults.freeBytes.set(Long.MAX_VALUE);
      RecordLog second = RecordLog.create(faults, path, 9, 2, 1, 1 << 16);
      second.append(key(2) >>> 8);
      second.force();
      first.close();
      second.close();
      Manifest manifest = new Manifest(9, new SlotShape(56, false), KeyHash.XXH3, 4096);
      LogRecovery logs = survey(faults, path, manifest);
      assertEquals(2, logs.logs.size());
    }
  }

  /** What a drive has where nothing was written may be an old log, of this number and place. */
  @Test
  void aBlockOfAnotherFilterIsNoneOfThisOne() throws IOException {
    for (long id : new long[] {9, 10}) {
      Path path = Files.createDirectories(directory.resolve("id-" + id));
      RecordLog log = RecordLog.create(FileAccess.SYSTEM, path, id, 1, 1, 1 << 16);
      log.append(5);
      log.force();
      log.close();
      Manifest manifest = new Manifest(9, new SlotShape(56, false), KeyHash.XXH3, 4096);
      LogRecovery logs = survey(FileAccess.SYSTEM, path, manifest);
      assertEquals(id == 9 ? 1 : 0, logs.records());
    }
  }

  /** It is of this filter, and no filter with such fingerprints writes it. */
  @Test
  void aRecordThatIsNoSlotIsRefused() throws IOException {
    RecordLog log = RecordLog.create(FileAccess.SYSTEM, directory, 9, 1, 1, 1 << 16);
    log.append(1L << 60);
    log.force();
    log.close();
    Manifest manifest = new Manifest(9, new SlotShape(56, false), KeyHash.XXH3, 4096);
    FilterFormatException refused =
        assertThrows(
            FilterFormatException.class, () -> survey(FileAccess.SYSTEM, directory, manifest));
    assertTrue(refused.getMessage().contains("not of this directory's kind"), "" + refused);
  }

  /** A power failure may leave zeros as large as the log; they are read in large pieces. */
  @Test
  void aTearIsLookedThroughInFewReads() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FaultyAccess counting = new FaultyAccess(SEED);
    counting.failingReads = path -> reads.incrementAndGet() < 0;
    RecordLog log = RecordLog.create(counting, directory, 9, 1, 1, 1 << 16);
    log.append(5);
    log.force();
    log.close();
    Path file = RecordLog.path(directory, 1);
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, 4 << 20));
    Manifest manifest = new Manifest(9, new SlotShape(56, false), KeyHash.XXH3, 4096);
    LogRecovery logs = survey(counting, directory, manifest);
    assertEquals(1, logs.records());
    assertTrue(reads.get() < 100, reads + " reads");

    byte[] later = Arrays.copyOf(whole, 1 << 20);
    ByteBuffer mark = ByteBuffer.wrap(later, (1 << 20) - 40, 40).slice();
    mark.order(ByteOrder.LITTLE_ENDIAN).putLong(8, 1).putLong(16, (1 << 20) - 40).putLong(24, 512);
    mark.putInt(0, RecordLog.checksum(9, mark, 40, new CRC32C()));
    Files.write(file, later);
    FilterFormatException e =
        assertThrows(FilterFormatException.class, () -> survey(counting, directory, manifest));
    assertTrue(e.getMessage().contains("synced up to byte 512"), e.getMessage());
  }

  /** What a power failure leaves that cuts whatever is not safe in the middle of a mark. */
  private Path cut(Path from, Map<Path, Long> safe, String name) throws IOException {
    Path image = Files.createDirectory(directory.resolve(name));
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        byte[] bytes = Files.readAllBytes(file);
        int size = (int) Math.min(bytes.length, safe.getOrDefault(file, Long.MAX_VALUE / 2) + 16);
        Files.write(image.resolve(file.getFileName()), Arrays.copyOf(bytes, size));
      }
    }
    return image;
  }

  /** Of the log that is being filled, and of the full one before it. */
  @Test
  void aTornMarkAtTheEndOfALogIsNoLossAndDamageIsOne() throws IOException {
    Map<Path, Long> safe = new ConcurrentHashMap<>();
    FileAccess access =
        new FileAccess() {
          @Override
          public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
            if (file.getFileName().toString().startsWith("level-")) {
              throw new IOException("No space left on device (injected)");
            }
            return FileAccess.SYSTEM.open(file, options);
          }

          @Override
          public void force(Path file, FileDescriptor open) throws IOException {
            FileAccess.SYSTEM.force(file, open);
            safe.put(file, Files.size(file));
          }
        };
    Path path = directory.resolve("cascade");
    try (CascadeFilter filter = CascadeFilter.open(path, options().fileAccess(access))) {
      int full = (int) filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      for (int keys = 0; keys < full + 3; keys++) {
        filter.insert(key(keys));
        if (keys >= full - 1) { // the last one of the first log, and all of the second one
          filter.sync();
          Path image = cut(path, safe, "cut-" + keys);
          try (CascadeFilter again = CascadeFilter.open(image, options())) {
            for (int i = keys - 100; i <= keys; i++) {
              assertTrue(again.mightContain(key(i)), "key " + i + " of " + keys);
            }
          }
        }
      }
      assertTrue(filter.statistics().get(CascadeCount.FROZEN_ENTRIES) > 0, "two logs");
      Path image = cut(path, safe, "damaged");
      Path first = RecordLog.path(image, 1);
      byte[] whole = Files.readAllBytes(first);
      for (int at : new int[] {whole.length / 2, whole.length - 40 - 50}) {
        byte[] damaged = whole.clone();
        damaged[at] ^= 1;
        Files.write(first, damaged);
        assertThrows(FilterFormatException.class, () -> CascadeFilter.open(image, options()));
      }
    }
  }

  /** They are of one sync, and would else be in two blocks. */
  @Test
  void allOperationsWhoseFsyncFailedAreTakenBack() throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    RecordLog log = RecordLog.create(faults, directory, 9, 1, 1, 1 << 16);
    for (int i = 0; i < 8190; i++) {
      log.append(i);
    }
    log.append(new long[] {1, 2, 3, 4, 5}, 0, 5);
    faults.failingFsyncs = path -> true;
    assertThrows(IOException.class, log::force);
    log.removeLast(5);
    log.close();
    Manifest manifest = new Manifest(9, new SlotShape(56, false), KeyHash.XXH3, 4096);
    LogRecovery logs = survey(FileAccess.SYSTEM, directory, manifest);
    assertEquals(8190, logs.records());
  }

  /** The look at the drive's room counts on it. */
  @ParameterizedTest
  @ValueSource(longs = {1, 3, 5000, 20_000})
  void aLogIsAsLargeAsIsCountedOn(long every) throws IOException {
    int operations = 20_000;
    SimulatedDrive access = // its fsyncs take no time
        new SimulatedDrive(directory, new Random(SEED), () -> 0, () -> 0);
    RecordLog log = RecordLog.create(access, directory, 9, 1, 1, 1 << 16);
    for (int i = 1; i <= operations; i++) {
      log.append(i);
      if (i % every == 0) {
        log.force();
      }
    }
    log.force();
    log.close();
    long bytes = Files.size(RecordLog.path(directory, 1));
    long counted = CascadeDirectory.logBytes(operations / 2, Durability.everyN(every));
    assertTrue(bytes <= counted, bytes + " bytes, " + counted + " counted");
    assertTrue(counted <= bytes + 200, bytes + " bytes, " + counted + " counted");
    assertEquals(0, CascadeDirectory.logBytes(operations, Durability.NONE));
  }
}

package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** What tests of damage and of faults have in common: a small table on a drive with faults. */
abstract class BufferHashFaults {
  static final long SEED = 20261122;

  @TempDir Path directory;
  final FaultyAccess drive = new FaultyAccess(SEED);

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  BufferHashOptions options() {
    return Tables.small(BufferHashOptions.ofFingerprints(8), 2, 8).fileAccess(drive);
  }

  static long key(long i) {
    return Tables.key(SEED, i);
  }

  static void put(BufferHash table, long from, long to) throws IOException {
    for (long i = from; i < to; i++) {
      table.put(key(i), Tables.value(i));
    }
  }

  static void assertPresent(BufferHash table, long from, long to) throws IOException {
    for (long i = from; i < to; i++) {
      byte[] value = table.get(key(i));
      assertNotNull(value, "key " + i);
      assertEquals(i, Tables.number(value));
    }
  }
}

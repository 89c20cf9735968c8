package io.winnow.flash.bufferhash;

import io.winnow.ChildJvm;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * A process to be killed: puts, deletes, looks up, syncs, and keeps in a mapped file how far it has
 * come. What operation i does is told by i alone.
 */
final class BufferHashCrashChild {
  private static final long SEED = 4713;
  private static final int KEYS = 20_000;

  /** Places in the progress: operations that began, those that returned, and those synced. */
  static final int BEGUN = 0;

  static final int RETURNED = 8;
  static final int SYNCED = 16;

  /** After so many operations a process waits for its end: flash is to have room for all. */
  private static final long MOST = 200_000;

  private BufferHashCrashChild() {}

  static ByteBuffer progress(Path file) throws IOException {
    return ChildJvm.progress(file, 3);
  }

  /** With a log that is synced every so many operations, or none with 0. */
  static BufferHashOptions options(long everyN, boolean evicting) {
    return BufferHashOptions.ofKeys(19, 40)
        .superTables(2)
        .eraseBlockBytes(Tables.ERASE_BLOCK)
        .incarnationBytes(Tables.ERASE_BLOCK)
        .flashBytes(Tables.ERASE_BLOCK * (evicting ? 61L : 2001L))
        .expectedEntryBytes(35)
        .memoryBudget(16 << 20)
        .directIo(false)
        .durability(everyN == 0 ? Durability.NONE : Durability.everyN(everyN));
  }

  static long key(long operation) {
    return Math.floorMod(Tables.key(SEED, operation), (long) KEYS);
  }

  static boolean isDelete(long operation) {
    return operation % 7 == 3;
  }

  /** The number of the operation, and some bytes that follow from it. */
  static byte[] value(long operation) {
    byte[] value = new byte[8 + (int) (operation % 33)];
    Arrays.fill(value, (byte) operation);
    ByteBuffer.wrap(value).putLong(operation);
    return value;
  }

  public static void main(String[] arguments) throws IOException {
    ByteBuffer progress = progress(Path.of(arguments[1]));
    long everyN = Long.parseLong(arguments[2]);
    BufferHashOptions options = options(everyN, Boolean.parseBoolean(arguments[3]));
    Random random = new Random();
    BufferHash table = BufferHash.open(Path.of(arguments[0]), options);
    System.out.println("open");
    long first = progress.getLong(BEGUN);
    for (long i = first; ; i++) {
      while (i == first + MOST) {
        sleep();
      }
      progress.putLong(BEGUN, i + 1);
      byte[] key = Tables.bytes(key(i));
      if (isDelete(i)) {
        table.delete(key);
      } else {
        table.put(key, value(i));
      }
      progress.putLong(RETURNED, i + 1);
      if (i % 16 == 0 && !Arrays.equals(table.get(key), isDelete(i) ? null : value(i))) {
        System.exit(3);
      }
      if (random.nextInt(20_000) == 0) {
        table.sync();
        progress.putLong(SYNCED, i + 1);
      }
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(1000);
    } catch (InterruptedException e) {
      System.exit(4);
    }
  }
}

package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;

import io.winnow.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/**
 * A process to be killed: inserts keys from its mark on, syncs now and then, and keeps in a mapped
 * file, which a kill does not take away, how far it has come.
 */
final class BufferedBloomCrashChild {
  static final long SEED = 4712;

  private BufferedBloomCrashChild() {}

  static BufferedBloomOptions options() {
    return BufferedBloomOptions.defaults()
        .keys(1_000_000)
        .rate(0.01)
        .memoryBudget(1 << 20)
        .maxWait(Duration.ofMillis(10));
  }

  /** Inserts that returned, and those before the last sync that returned. */
  static ByteBuffer progress(Path file) throws IOException {
    return ChildJvm.progress(file, 2);
  }

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    ByteBuffer progress = progress(Path.of(arguments[1]));
    Random random = new Random();
    BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options());
    System.out.println("open");
    long untilSync = random.nextInt(100_000);
    for (long i = filter.mark(); ; i++) {
      if (!filter.isWhole() && i == progress.getLong(0)) {
        filter.declareWhole(); // all that had come in is in again
      }
      filter.insert(splitMix(SEED, i));
      if (i % 8 == 0) {
        filter.probe(splitMix(SEED, i)).thenAccept(BufferedBloomCrashChild::mustBeTrue);
      }
      progress.putLong(0, Math.max(progress.getLong(0), i + 1));
      if (--untilSync <= 0) {
        filter.sync(i + 1);
        progress.putLong(8, Math.max(progress.getLong(8), i + 1));
        untilSync = random.nextInt(100_000);
      }
    }
  }

  private static void mustBeTrue(boolean answer) {
    if (!answer) {
      System.exit(3);
    }
  }
}

package io.winnow.cascade;

import io.winnow.TestHashes;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process to be killed: inserts, deletes, looks up, syncs, and keeps in a mapped file, which a
 * kill does not take away, how far it has come.
 *
 * <p>Operation i inserts key i, or deletes a key of an earlier operation that nobody else deletes:
 * which of it is told by i alone.
 */
final class CrashChild {
  static final long SEED = 4711;

  private CrashChild() {}

  static ProcessBuilder start(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                CrashChild.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** A budget whose logs are too much for the least one. */
  static final long LARGE_MEMORY = 16 << 20;

  static final long SMALL_MEMORY = 1 << 19;

  static CascadeOptions options(Durability durability, long memoryBytes) {
    return CascadeOptions.defaults()
        .memoryBudget(memoryBytes)
        .fanOut(2)
        .mergeThreads(2)
        .deletes(true)
        .expectedMaximum(1L << 22)
        .durability(durability);
  }

  static long key(long operation) {
    return TestHashes.splitMix(SEED, operation);
  }

  /** Whether operation i is a delete: it then deletes the key of operation {@link #deleted}. */
  static boolean isDelete(long i) {
    return i % 4 == 3;
  }

  /** Of each four operations the first one's key is deleted, 4000 operations later at least. */
  static long deleted(long i) {
    return i - 4003;
  }

  /** Ranges of operations of which it is not known whether they are in: lines of two numbers. */
  static List<long[]> unknown(Path file) throws IOException {
    List<long[]> ranges = new ArrayList<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] words = line.split(" ");
        ranges.add(new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])});
      }
    }
    return ranges;
  }

  static boolean isIn(List<long[]> ranges, long operation) {
    return ranges.stream().anyMatch(range -> operation >= range[0] && operation < range[1]);
  }

  /** Begun and acknowledged operations, in a file. */
  static ByteBuffer progress(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, 16).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("open")) {
      try {
        CascadeFilter.open(Path.of(arguments[1]), CascadeOptions.defaults()).close();
      } catch (IOException e) {
        System.out.println(e.getMessage());
        System.exit(1);
      }
      return;
    }
    Durability durability =
        arguments[2].equals("NONE")
            ? Durability.NONE
            : arguments[2].equals("ON_SYNC")
                ? Durability.ON_SYNC
                : Durability.everyN(Long.parseLong(arguments[2]));
    long everyN = arguments[2].matches("[0-9]+") ? Long.parseLong(arguments[2]) : 0;
    ByteBuffer progress = progress(Path.of(arguments[1]));
    Random random = new Random();
    CascadeFilter filter =
        CascadeFilter.open(
            Path.of(arguments[0]), options(durability, Long.parseLong(arguments[4])));
    System.out.println("open");
    if (arguments.length > 5) {
      return; // it was only to be opened
    }
    List<long[]> unknown = unknown(Path.of(arguments[3]));
    long first = progress.getLong(0);
    long untilSync = 1 + random.nextInt(20_000);
    for (long i = first; ; i++) {
      progress.putLong(0, i + 1);
      if (isDelete(i) && deleted(i) >= 0 && !isIn(unknown, deleted(i))) {
        filter.delete(key(deleted(i)));
      } else {
        filter.insert(key(i));
      }
      if (everyN > 0) {
        progress.putLong(8, Math.max(progress.getLong(8), i + 1 - (everyN - 1)));
      }
      if (--untilSync == 0) {
        filter.sync();
        progress.putLong(8, i + 1);
        untilSync = 1 + random.nextInt(20_000);
      }
    }
  }
}

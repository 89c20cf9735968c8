package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lives of stores, by the rule that writers use: what their Gets pay, and what their filters
 * take, after each flush, compaction and drop. {@code -Dwinnow.rates.lives=1000} looks at more.
 */
class StoreLivesTest {
  private static final int LIVES = Integer.getInteger("winnow.rates.lives", 100);
  private static final int STRIPES = 4;
  private static final int SMALL_BYTES = 1024;

  private enum Kind {
    COMPACTING,
    FIFO,
    TIERS,
    STRIPES,
    IN_ORDER_OF_TIME,
    EQUAL,
    SINGLE,
    SMALL
  }

  /** Means and the worst, over stock. */
  private static final class Seen {
    double sums;
    double bytes;
    int count;
    double worstSum;
    double worstBytes;
    double worstBytesAfterDrop;

    void add(Seen life) {
      sums += life.sums / life.count;
      bytes += life.bytes / life.count;
      count++;
      worstSum = Math.max(worstSum, life.worstSum);
      worstBytes = Math.max(worstBytes, life.worstBytes);
      worstBytesAfterDrop = Math.max(worstBytesAfterDrop, life.worstBytesAfterDrop);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "sums: mean %.3f, worst %.3f; bytes: mean %.3f, worst %.3f, after drops %.3f",
          sums / count,
          worstSum,
          bytes / count,
          worstBytes,
          worstBytesAfterDrop);
    }
  }

  /** One store. */
  private static final class Life {
    private static final int WHOLE = 0;

    private final StorePlan plan;
    private final Random random;
    private final double rows;
    private final Seen seen = new Seen();

    /** Of each stripe, or of the whole store; oldest first. */
    private final List<List<StorePlan.PlannedFile>> stripes = new ArrayList<>();

    private final Map<StorePlan.PlannedFile, int[]> ranges = new IdentityHashMap<>();
    private final Map<StorePlan.PlannedFile, Integer> flushes = new IdentityHashMap<>();
    private boolean hasDropped;

    Life(double memory, Random random, double rows) {
      Configuration conf = new Configuration(false);
      conf.set("winnow.filter", "bumped-ribbon");
      conf.set("winnow.store.memory", String.valueOf(memory));
      this.plan = StorePlan.of(conf, BloomType.ROW);
      this.random = random;
      this.rows = rows;
      for (int stripe = 0; stripe < STRIPES; stripe++) {
        stripes.add(new ArrayList<>());
      }
    }

    private double someRows() {
      return Math.max(1, Math.round(rows * (0.3 + 1.4 * random.nextDouble())));
    }

    private static byte[] row(int number) {
      return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /**
     * @param from the first row's number
     * @param to the last row's number
     */
    private void flush(int stripe, double keys, int from, int to) {
      StorePlan.PlannedFile file = plan.flush(keys, row(from), row(to));
      ranges.put(file, new int[] {from, to});
      flushes.put(file, 1);
      stripes.get(stripe).add(file);
      look();
    }

    private void compact(int stripe, int first, int end) {
      List<StorePlan.PlannedFile> inputs = stripes.get(stripe).subList(first, end);
      int from = inputs.stream().mapToInt(file -> ranges.get(file)[0]).min().orElseThrow();
      int to = inputs.stream().mapToInt(file -> ranges.get(file)[1]).max().orElseThrow();
      StorePlan.PlannedFile one = plan.compact(List.copyOf(inputs), row(from), row(to));
      ranges.put(one, new int[] {from, to});
      flushes.put(one, inputs.stream().mapToInt(flushes::get).sum());
      inputs.clear();
      inputs.add(one);
      look();
    }

    private void dropOldest(int keep) {
      while (stripes.get(WHOLE).size() > keep) {
        plan.drop(stripes.get(WHOLE).remove(0));
        hasDropped = true;
        look();
      }
    }

    /** As HBase's ExploringCompactionPolicy selects, by keys. */
    private void explore(int stripe) {
      List<StorePlan.PlannedFile> files = stripes.get(stripe);
      while (true) {
        int bestFirst = 0;
        int bestCount = 0;
        double bestKeys = 0;
        for (int first = 0; first < files.size(); first++) {
          double keys = 0;
          double largest = 0;
          for (int end = first + 1; end <= Math.min(files.size(), first + 10); end++) {
            keys += files.get(end - 1).keys();
            largest = Math.max(largest, files.get(end - 1).keys());
            int count = end - first;
            boolean isBetter = count > bestCount || count == bestCount && keys < bestKeys;
            if (count >= 3 && isBetter && (keys < rows || largest <= 1.2 * (keys - largest))) {
              bestFirst = first;
              bestCount = count;
              bestKeys = keys;
            }
          }
        }
        if (bestCount == 0) {
          return;
        }
        compact(stripe, bestFirst, bestFirst + bestCount);
      }
    }

    /** Of six windows of one size, the oldest four become one. */
    private void mergeWindows() {
      List<StorePlan.PlannedFile> files = stripes.get(WHOLE);
      for (int tier : new int[] {1, 4, 16}) {
        int[] ofTier =
            IntStream.range(0, files.size())
                .filter(i -> flushes.get(files.get(i)) == tier)
                .toArray();
        if (ofTier.length >= 6) {
          compact(WHOLE, ofTier[0], ofTier[0] + 4);
        }
      }
    }

    private void look() {
      if (plan.files().isEmpty()) {
        return;
      }
      double sums = 0;
      double stockSums = 0;
      double bytes = 0;
      double stockBytes = 0;
      for (StorePlan.PlannedFile file : plan.files()) {
        double ours = 0;
        double stock = 0;
        for (StorePlan.PlannedFile asked : plan.files()) { // by a Get of the file's first row
          byte[] row = row(ranges.get(file)[0]);
          if (asked.file.mayBeQueried(row, row)) {
            ours += asked.rate;
            stock += Math.max(StoreRate.MIN_RATE, asked.stockRate);
          }
        }
        seen.worstSum = Math.max(seen.worstSum, ours / stock);
        sums += ours * file.keys();
        stockSums += stock * file.keys();
        bytes += file.bytes() - SMALL_BYTES;
        stockBytes += file.stockBytes;
      }
      seen.sums += sums / stockSums;
      seen.bytes += bytes / stockBytes;
      seen.count++;
      if (hasDropped) {
        seen.worstBytesAfterDrop = Math.max(seen.worstBytesAfterDrop, bytes / stockBytes);
      } else {
        seen.worstBytes = Math.max(seen.worstBytes, bytes / stockBytes);
      }
    }

    Seen live(Kind kind) {
      int steps = kind == Kind.SINGLE ? 1 : 40 + random.nextInt(110);
      int large = new int[] {0, 0, 5, 20, 80, 160}[random.nextInt(6)];
      int major = random.nextBoolean() ? 0 : 1 + random.nextInt(steps);
      int keep = kind == Kind.FIFO ? 3 + random.nextInt(58) : 16;
      boolean isInOrder = kind == Kind.IN_ORDER_OF_TIME;
      if (large > 0 && !List.of(Kind.EQUAL, Kind.FIFO, Kind.TIERS, Kind.STRIPES).contains(kind)) {
        flush(WHOLE, large * rows, 0, isInOrder ? 0 : 1);
        compact(WHOLE, 0, 1);
      }
      for (int step = 1; step <= steps; step++) {
        if (kind == Kind.STRIPES) {
          for (int stripe = 0; stripe < STRIPES; stripe++) {
            flush(stripe, someRows(), 2 * stripe, 2 * stripe + 1);
            explore(stripe);
          }
          continue;
        }
        double keys = kind == Kind.EQUAL ? rows : someRows();
        flush(WHOLE, keys, isInOrder ? step : 0, isInOrder ? step : 1);
        if (kind == Kind.TIERS) {
          mergeWindows();
        } else if (kind != Kind.FIFO && kind != Kind.EQUAL) {
          explore(WHOLE);
        }
        if (kind == Kind.FIFO || kind == Kind.TIERS) {
          dropOldest(keep);
        } else if (step == major && stripes.get(WHOLE).size() > 1) {
          compact(WHOLE, 0, stripes.get(WHOLE).size());
        }
      }
      return seen;
    }
  }

  private static Map<Kind, Seen> lives(double memory) {
    Map<Kind, Seen> all = new EnumMap<>(Kind.class);
    for (int i = 0; i < LIVES; i++) {
      Random random = new Random(i * 0x9E3779B97F4A7C15L);
      Kind kind = Kind.values()[i % Kind.values().length];
      double least = kind == Kind.SMALL ? 1 : 5e3;
      double most = kind == Kind.SMALL ? 5e3 : 3e6;
      double rows = Math.exp(Math.log(least) + random.nextDouble() * Math.log(most / least));
      Seen seen = new Life(memory, random, Math.round(rows)).live(kind);
      all.computeIfAbsent(kind, none -> new Seen()).add(seen);
      if (Boolean.getBoolean("winnow.rates.print")) {
        System.out.println(i + " " + kind + " " + rows + ": " + seen);
      }
    }
    if (Integer.getInteger("winnow.rates.lives") != null) {
      all.forEach((kind, seen) -> System.out.println(memory + ", " + kind + ": " + seen));
    }
    return all;
  }

  /** By default nothing is worse than with HBase's own filters. */
  @Test
  void byDefaultNoGetPaysMoreThanWithStocksFilters() {
    lives(WinnowSettings.DEFAULT_STORE_MEMORY)
        .forEach(
            (kind, seen) -> {
              assertTrue(seen.worstSum <= 1 + 1e-9, kind + ": " + seen);
              assertTrue(
                  seen.worstBytes <= WinnowSettings.DEFAULT_STORE_MEMORY, kind + ": " + seen);
              assertTrue(seen.worstBytesAfterDrop <= 1.25, kind + ": " + seen);
            });
  }

  /** With less memory that is what counts. */
  @ParameterizedTest
  @ValueSource(doubles = {0.7, 0.6, 0.5})
  void filtersTakeNoMoreThanTheSetting(double memory) {
    lives(memory)
        .forEach(
            (kind, seen) -> {
              assertTrue(seen.worstBytes <= memory, kind + ": " + seen);
              assertTrue(seen.worstBytesAfterDrop <= 1.25, kind + ": " + seen);
            });
  }
}

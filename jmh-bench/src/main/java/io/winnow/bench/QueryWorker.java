package io.winnow.bench;

import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * The program that queries the filter of several store files, for one contender of {@link
 * QueryBench} in a JVM of its own. It has several store files open, which are copies of one, with
 * all chunks of their filters in a block cache ({@link QueryCache}), and queries them in turn.
 * Between queries other blocks come into the cache, which is not timed.
 *
 * <p>A line of input has four numbers: threads; queries of each thread; how many of these are timed
 * together as one stretch; blocks that come in for each query. The line of output that answers it
 * has the nanoseconds of wall time of a query: the mean over all threads and over all stretches but
 * the slowest hundredth. The JVM ends with its input.
 */
final class QueryWorker implements Closeable {
  static final int KEY_LENGTH = 25;

  /**
   * Number of random rows whose queries are enough to hit each chunk of a file of a million rows.
   */
  private static final int ROWS_TO_LOAD = 3000;

  /**
   * Share of the timed groups of queries that count: in the slowest groups the system ran something
   * else.
   */
  private static final double COUNTED = 0.99;

  private final List<HStoreFile> files = new ArrayList<>();
  private final List<Path> links = new ArrayList<>();
  private final List<BloomFilter> filters = new ArrayList<>();
  private final QueryCache cache;
  private final byte[] queries;
  private final double clockNanos = clockNanos();

  private QueryWorker(HBaseFilter filter, Path file, int keys, int copies, int others)
      throws IOException {
    Configuration conf = filter.configuration(0.01);
    queries = Keys.slab(Keys.queries(keys, Math.min(keys, 1_000_000), 0.5), KEY_LENGTH);
    cache = new QueryCache(conf, others, (long) copies * keys);
    for (int copy = 0; copy < copies; copy++) {
      Path link =
          file.resolveSibling("%08x%s".formatted(copy, file.getFileName().toString().substring(8)));
      // Each contender's JVM has names of its own, and closing deletes only those.
      if (!Files.exists(link)) {
        Files.createLink(link, file);
      }
      links.add(link);
      open(conf, link, filter);
    }
    loadAll();
    if (filter == HBaseFilter.BLOOM_XXH3_SHORT_CUT) {
      for (BloomFilter one : filters) {
        BloomInPlace.replace((WinnowFilterReader) one, Keys.presentInOrder(keys), KEY_LENGTH);
      }
    }
    cache.fill();
  }

  private void open(Configuration conf, Path link, HBaseFilter kind) throws IOException {
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    StoreFileInfo info =
        StoreFileInfo.createStoreFileInfoForHFile(
            conf, fs, new org.apache.hadoop.fs.Path(link.toUri()), true);
    CacheConfig config = new CacheConfig(conf, null, cache.blocks(), ByteBuffAllocator.HEAP);
    HStoreFile file = new HStoreFile(info, BloomType.ROW, config, new BloomFilterMetrics());
    file.initReader();
    files.add(file);
    BloomFilter filter = file.getReader().getGeneralBloomFilter();
    if (kind.isStock() == filter instanceof WinnowFilterReader) {
      throw new IllegalStateException(
          "the file should have a filter of " + kind + ", but has " + filter);
    }
    filters.add(filter);
  }

  /**
   * Queries enough rows of each store file that each chunk of its filter is in the cache and was
   * used twice.
   */
  private void loadAll() {
    for (BloomFilter filter : filters) {
      int rows = Math.min(queries.length / KEY_LENGTH, ROWS_TO_LOAD);
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < rows; i++) {
          filter.contains(queries, i * KEY_LENGTH, KEY_LENGTH, null);
        }
      }
    }
  }

  /**
   * Returns the time of a call of {@link System#nanoTime}, in nanoseconds. A stretch makes two such
   * calls, of which one is part of its time.
   */
  private static double clockNanos() {
    long[] steps = new long[20_001];
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < steps.length; i++) {
        long start = System.nanoTime();
        steps[i] = System.nanoTime() - start;
      }
    }
    return Arrays.stream(steps)
        .sorted()
        .skip(steps.length / 4)
        .limit(steps.length / 2)
        .average()
        .orElseThrow();
  }

  /**
   * Queries the store files' filters as each line of input requests, until the input ends.
   *
   * @param arguments filter, file, its keys, number of files to query, number of other blocks in
   *     the cache
   */
  public static void main(String[] arguments) throws IOException {
    QuietEnd.install();
    PrintStream out = System.out;
    System.setOut(System.err); // standard output has answers only
    try (QueryWorker worker =
        new QueryWorker(
            HBaseFilter.ofLabel(arguments[0]),
            Path.of(arguments[1]),
            Integer.parseInt(arguments[2]),
            Integer.parseInt(arguments[3]),
            Integer.parseInt(arguments[4]))) {
      out.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        out.println(
            worker.turn(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Double.parseDouble(words[3])));
      }
    }
    System.exit(0); // HBase leaves threads behind
  }

  private double turn(int threads, int count, int stretch, double blocksPerQuery) {
    long misses = cache.chunkMisses();
    double[] nanos = new double[threads];
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int number = t;
      Thread thread =
          new Thread(
              () -> {
                await(start);
                nanos[number] = query(number, count, stretch, blocksPerQuery);
              });
      running.add(thread);
      thread.start();
    }
    running.forEach(QueryWorker::join);
    if (cache.chunkMisses() != misses) {
      throw new IllegalStateException(
          (cache.chunkMisses() - misses)
              + " chunks were missing in the cache, which must have all");
    }
    return Arrays.stream(nanos).sum() / threads / stretch;
  }

  /**
   * Index of the row with which each thread begins its next turn of queries, which is where its
   * last turn ended. Each thread begins elsewhere.
   */
  private final int[] next = new int[256];

  private double query(int thread, int count, int stretch, double blocksPerQuery) {
    int rows = queries.length / KEY_LENGTH;
    int row = (int) ((next[thread] + 7919L * 31 * thread) % rows);
    int file = (int) (7919L * thread % filters.size());
    long[] stretches = new long[count / stretch];
    int positives = 0;
    double due = 0;
    for (int s = 0; s < stretches.length; s++) {
      long start = System.nanoTime();
      for (int i = 0; i < stretch; i++) {
        positives +=
            filters.get(file).contains(queries, row * KEY_LENGTH, KEY_LENGTH, null) ? 1 : 0;
        row = row + 1 == rows ? 0 : row + 1;
        file = file + 1 == filters.size() ? 0 : file + 1;
      }
      stretches[s] = System.nanoTime() - start;
      for (due += stretch * blocksPerQuery; due >= 1; due--) {
        cache.insertOther();
      }
    }
    next[thread] = (next[thread] + count) % rows;
    if (positives < count / 3) {
      throw new IllegalStateException("only " + positives + " of " + count + " pass");
    }
    Arrays.sort(stretches);
    int counted = (int) Math.ceil(stretches.length * COUNTED);
    return Arrays.stream(stretches).limit(counted).average().orElseThrow() - clockNanos;
  }

  private static void await(CyclicBarrier start) {
    try {
      start.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (HStoreFile file : files) {
      file.closeStoreFile(false);
    }
    for (Path link : links) {
      Files.delete(link);
    }
  }
}

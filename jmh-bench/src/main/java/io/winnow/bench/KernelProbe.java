package io.winnow.bench;

import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.hbase.read.ByteBuffAccess;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.MultiByteBuff;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A benchmark of probing one filter with 64-bit hashes in random order.
 *
 * <p>{@code counted} adds up the answers without a branch, so that the processor runs ahead; {@code
 * branched} branches on each answer, like a caller that reads a file or not; {@code batched} gets
 * {@link Kernel#BATCH} answers at a time. An invocation makes {@link #ROUND} probes; the counter
 * {@code key} is the time of one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 250, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 250, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {
      "-Xms2g",
      "-Xmx2g",
      "-XX:+UseParallelGC",
      WorkerJvm.OPEN_NIO,
      WorkerJvm.OPEN_LANG
    })
public class KernelProbe {
  static final int ROUND = 1000;
  private static final int PIECE = 64 << 10;

  @Param({"ribbon", "ribbon-128", "bumped-ribbon"})
  public String filter;

  @Param({"10000", "145000", "1000000", "10000000"})
  public int n;

  @Param({"positive", "negative", "mixed"})
  public String mix;

  /**
   * The kind of buffer that holds the filter's image: a heap array, a read-only buffer over it as
   * in README, a direct buffer, or HBase's buffer of 64 KiB pieces.
   */
  @Param({"heap", "read-only", "direct", "split"})
  public String buffer;

  private MembershipFilter probed;
  private long[] queries;
  private int next;
  private long bits;
  private long falsePositives;
  private long absentProbes;

  @Setup(Level.Trial)
  public void setUp() {
    long[] hashes = Kernel.presentHashes(n);
    FilterImage image = Kernel.build(Kernel.builder(filter), hashes);
    bits = 8L * image.sizeInBytes();
    probed =
        switch (buffer) {
          case "heap" -> image.open();
          case "read-only" -> Filters.open(image.buffer());
          case "direct" -> Filters.open(direct(image));
          case "split" -> new Split(image);
          default -> throw new IllegalArgumentException("there is no buffer '" + buffer + "'");
        };
    for (long hash : hashes) {
      if (!probed.mightContain(hash)) {
        throw new IllegalStateException(filter + " misses a present hash");
      }
    }
    queries = Kernel.queries(n, mix);
    absentProbes = 200_000;
    for (int i = 0; i < absentProbes; i++) {
      falsePositives += probed.mightContain(Keys.absent(10_000_000L + i)) ? 1 : 0;
    }
  }

  private static ByteBuffer direct(FilterImage image) {
    return ByteBuffer.allocateDirect(image.sizeInBytes()).put(image.buffer()).flip();
  }

  /**
   * A filter whose image is in several pieces, as in a bucket cache, and which is probed as the
   * reader of a store file does.
   */
  private static final class Split implements MembershipFilter {
    private final FilterLayout layout;
    private final ByteBuff pieces;

    Split(FilterImage image) {
      layout = image.layout();
      ByteBuffer whole = direct(image);
      List<ByteBuffer> list = new ArrayList<>();
      for (int from = 0; from < whole.limit(); from += PIECE) {
        list.add(whole.slice(from, Math.min(PIECE, whole.limit() - from)));
      }
      pieces = new MultiByteBuff(list.toArray(ByteBuffer[]::new));
    }

    @Override
    public boolean mightContain(long keyHash) {
      return layout.mightContain(ByteBuffAccess.INSTANCE, pieces, 0, keyHash);
    }

    @Override
    public long mightContain(long[] keyHashes, int from, int count) {
      long mask = 0;
      for (int i = 0; i < count; i++) {
        mask |= (mightContain(keyHashes[from + i]) ? 1L : 0L) << i;
      }
      return mask;
    }

    @Override
    public KeyHash keyHash() {
      return layout.keyHash();
    }

    @Override
    public long sizeInBytes() {
      return layout.sizeInBytes();
    }
  }

  private int advance() {
    int from = next;
    next = from + ROUND == queries.length ? 0 : from + ROUND;
    return from;
  }

  private void count(JmhCounters.Work work, JmhCounters.Figures figures) {
    work.key += ROUND;
    figures.space(bits, n);
    figures.rate(falsePositives, absentProbes);
  }

  @Benchmark
  public int counted(JmhCounters.Work work, JmhCounters.Figures figures) {
    int from = advance();
    int positives = 0;
    for (int i = from; i < from + ROUND; i++) {
      positives += probed.mightContain(queries[i]) ? 1 : 0;
    }
    count(work, figures);
    return positives;
  }

  @Benchmark
  public void branched(JmhCounters.Work work, JmhCounters.Figures figures, Blackhole positives) {
    int from = advance();
    for (int i = from; i < from + ROUND; i++) {
      if (probed.mightContain(queries[i])) {
        positives.consume(i);
      }
    }
    count(work, figures);
  }

  @Benchmark
  public int batched(JmhCounters.Work work, JmhCounters.Figures figures) {
    int from = advance();
    int positives = 0;
    for (int i = from; i < from + ROUND; i += Kernel.BATCH) {
      positives += Long.bitCount(probed.mightContain(queries, i, Kernel.BATCH));
    }
    count(work, figures);
    return positives;
  }
}

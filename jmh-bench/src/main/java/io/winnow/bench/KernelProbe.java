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
import java.util.Map;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.MultiByteBuff;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A benchmark of probing one filter with 64-bit hashes in random order.
 *
 * <p>{@code counted} adds up the answers without a branch, so that the processor runs ahead; {@code
 * branched} branches on each answer, like a caller that reads a file or not; {@code batched} gets
 * {@value #AT_ONCE} answers at a time.
 */
public class KernelProbe extends Kernel {
  /** Number of rows that a batch read queries, as in Ribbon in Lindorm, section 3.3. */
  private static final int AT_ONCE = 20;

  private static final int PIECE = 64 << 10;
  private static final Map<String, Double> PRESENT =
      Map.of("positive", 1.0, "negative", 0.0, "mixed", 0.5);

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

  @Setup(Level.Trial)
  public void setUp() {
    long[] hashes = presentHashes(0, n);
    FilterImage image = build(builder(filter, true), hashes);
    probed =
        switch (buffer) {
          case "heap" -> image.open();
          case "read-only" -> Filters.open(image.buffer());
          case "direct" -> Filters.open(direct(image));
          case "split" -> split(image);
          default -> throw new IllegalArgumentException("there is no buffer '" + buffer + "'");
        };
    for (long hash : hashes) {
      if (!probed.mightContain(hash)) {
        throw new IllegalStateException(filter + " misses a present hash");
      }
    }
    int count = Math.max(64_000, Math.min(1_000_000, n)) / BATCH * BATCH;
    queries = Keys.queries(n, count, PRESENT.get(mix));
  }

  private static ByteBuffer direct(FilterImage image) {
    return ByteBuffer.allocateDirect(image.sizeInBytes()).put(image.buffer()).flip();
  }

  private static MembershipFilter split(FilterImage image) {
    ByteBuffer whole = direct(image);
    List<ByteBuffer> pieces = new ArrayList<>();
    for (int from = 0; from < whole.limit(); from += PIECE) {
      pieces.add(whole.slice(from, Math.min(PIECE, whole.limit() - from)));
    }
    return new Split(image.layout(), new MultiByteBuff(pieces.toArray(ByteBuffer[]::new)));
  }

  /**
   * A filter whose image is in several pieces, as in a bucket cache, and which is probed as the
   * reader of a store file does.
   */
  private record Split(FilterLayout layout, ByteBuff pieces) implements MembershipFilter {
    @Override
    public boolean mightContain(long keyHash) {
      return layout.mightContain(ByteBuffAccess.INSTANCE, pieces, 0, keyHash);
    }

    @Override
    public long mightContain(long[] keyHashes, int from, int count) {
      return layout.mightContain(ByteBuffAccess.INSTANCE, pieces, 0, keyHashes, from, count);
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

  @Benchmark
  public int counted(Work work) {
    int from = advance(BATCH, queries.length);
    int positives = 0;
    for (int i = from; i < from + BATCH; i++) {
      positives += probed.mightContain(queries[i]) ? 1 : 0;
    }
    work.key += BATCH;
    return positives;
  }

  @Benchmark
  public void branched(Work work, Blackhole positives) {
    int from = advance(BATCH, queries.length);
    for (int i = from; i < from + BATCH; i++) {
      if (probed.mightContain(queries[i])) {
        positives.consume(i);
      }
    }
    work.key += BATCH;
  }

  @Benchmark
  public int batched(Work work) {
    int from = advance(BATCH, queries.length);
    int positives = 0;
    for (int i = from; i < from + BATCH; i += AT_ONCE) {
      positives += Long.bitCount(probed.mightContain(queries, i, AT_ONCE));
    }
    work.key += BATCH;
    return positives;
  }
}

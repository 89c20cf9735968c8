package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import io.winnow.ycsb.TableFilter;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilterWriter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Hash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterSizeTest {
  private static final int CHUNK = 128 << 10;
  private static final byte[] FAMILY = {'f'};

  /** 7 functions; with the most keys a bit is set with the chance 0.01^(1/7) = 0.51795. */
  @Test
  void bloomByHand() {
    long limit = 109_306; // 2^20 / 7 * -ln(1 - 0.51795), the latter 0.729692
    assertEquals(
        new FilterSize(CHUNK, 1, 0.01).chunks(),
        FilterSize.of(TableFilter.BLOOM, limit, 0.01, CHUNK).chunks());
    assertEquals(0.01, FilterSize.of(TableFilter.BLOOM, limit, 0.01, CHUNK).rate(), 1e-6);
    assertEquals(2, FilterSize.of(TableFilter.BLOOM, limit + 1, 0.01, CHUNK).chunks());
    // Meant for just twice as many keys: not folded; for more: folded once.
    assertEquals(CHUNK, FilterSize.of(TableFilter.BLOOM, limit / 2, 0.01, CHUNK).bytes());
    assertEquals(CHUNK / 2, FilterSize.of(TableFilter.BLOOM, limit / 2 - 1, 0.01, CHUNK).bytes());
  }

  /** What HBase's writer writes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1_000, 6_831, 6_832, 54_653, 109_306, 109_307, 150_000, 300_000})
  void bloomIsWhatHBaseWrites(int keys) throws IOException {
    for (double rate : new double[] {0.01, 0.001, 0.05}) {
      CompoundBloomFilterWriter writer =
          new CompoundBloomFilterWriter(
              CHUNK,
              (float) rate,
              Hash.MURMUR_HASH,
              7,
              false,
              CellComparator.getInstance(),
              BloomType.ROW);
      long chunks = 0;
      for (int key = 0; key < keys; key++) {
        writer.append(
            new KeyValue(ByteBuffer.allocate(4).putInt(key).array(), FAMILY, FAMILY, FAMILY));
        chunks += written(writer, false);
      }
      chunks += written(writer, true);
      FilterSize size = FilterSize.of(TableFilter.BLOOM, keys, rate, CHUNK);
      assertEquals(writer.getByteSize(), size.bytes(), keys + " keys, rate " + rate);
      assertEquals(chunks, size.chunks(), keys + " keys, rate " + rate);
    }
  }

  private static int written(CompoundBloomFilterWriter writer, boolean closing) throws IOException {
    int chunks = 0;
    while (writer.shouldWriteBlock(closing)) {
      writer.writeInlineBlock(new DataOutputStream(OutputStream.nullOutputStream()));
      writer.blockWritten(0, 1, 1);
      chunks++;
    }
    return chunks;
  }

  /** Filters that are built, within the 1.5 % that the sizings promise. */
  @Test
  void ribbonsAreWhatTheBuildersBuild() {
    RibbonSizing ribbon = RibbonSizing.forRate(0.01);
    BumpedRibbonSizing bumped = BumpedRibbonSizing.forRate(0.01);
    for (int keys : new int[] {1_000, 20_000, 140_000, 200_000, 500_000}) {
      assertSize(
          FilterSize.of(TableFilter.RIBBON, keys, 0.01, CHUNK),
          keys,
          ribbon.keyLimit(CHUNK),
          () -> FilterBuilder.of(ribbon));
      assertSize(
          FilterSize.of(TableFilter.BUMPED_RIBBON, keys, 0.01, CHUNK),
          keys,
          bumped.keyLimit(CHUNK),
          () -> FilterBuilder.of(bumped));
    }
  }

  private static void assertSize(
      FilterSize predicted, int keys, long limit, Supplier<FilterBuilder> builders) {
    SplittableRandom random = new SplittableRandom(keys);
    long bytes = 0;
    long chunks = 0;
    for (long left = keys; left > 0; left -= limit) {
      FilterBuilder builder = builders.get();
      for (long i = 0; i < Math.min(limit, left); i++) {
        builder.add(random.nextLong());
      }
      FilterImage image = builder.finish();
      bytes += image.sizeInBytes();
      chunks++;
    }
    assertEquals(chunks, predicted.chunks());
    assertEquals(1, (double) predicted.bytes() / bytes, 0.015, keys + " keys");
  }

  @Test
  void noKeysAreRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> FilterSize.of(TableFilter.BLOOM, 0, 0.01, CHUNK));
  }
}

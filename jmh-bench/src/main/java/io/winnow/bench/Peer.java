package io.winnow.bench;

import com.google.common.hash.Funnels;
import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.datasketches.filters.bloomfilter.BloomFilter;
import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;
import org.fastfilter.Filter;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.bloom.Bloom;
import org.fastfilter.xor.Xor8;
import org.fastfilter.xor.XorFuse8;

/**
 * Filters in memory over {@code byte[]} keys, Winnow's and those of other libraries, with a rate of
 * 1 % if it can be chosen. Filters that take longs get XXH3 hashes, as Winnow's do.
 */
public enum Peer {
  GUAVA("guava", keys -> guava(keys)),
  DATASKETCHES("datasketches", keys -> datasketches(keys)),
  FASTFILTER_BLOOM("fastfilter-bloom", keys -> fastfilter(Bloom.construct(hashes(keys), 10))),
  FASTFILTER_BLOCKED_BLOOM(
      "fastfilter-blocked-bloom", keys -> fastfilter(BlockedBloom.construct(hashes(keys), 10))),
  FASTFILTER_XOR8("fastfilter-xor8", keys -> fastfilter(Xor8.construct(hashes(keys)))),
  /**
   * The fuse filter of the library fastfilter, whose release on Maven Central has no binary fuse
   * filter yet.
   */
  FASTFILTER_XOR_FUSE8(
      "fastfilter-xor-fuse8", keys -> fastfilter(XorFuse8.construct(hashes(keys)))),
  RIBBON("ribbon", keys -> single(keys, Kernel.builder("ribbon"))),
  RIBBON_128("ribbon-128", keys -> single(keys, Kernel.builder("ribbon-128"))),
  BUMPED_RIBBON("bumped-ribbon", keys -> single(keys, Kernel.builder("bumped-ribbon"))),
  RIBBON_CHUNKS(
      "ribbon-chunks",
      keys ->
          chunks(
              keys,
              RibbonSizing.forRate(0.01).keyLimit(128 << 10),
              () -> FilterBuilder.of(RibbonSizing.forRate(0.01)))),
  BUMPED_RIBBON_CHUNKS(
      "bumped-ribbon-chunks",
      keys ->
          chunks(
              keys,
              BumpedRibbonSizing.forRate(0.01).keyLimit(128 << 10),
              () -> FilterBuilder.of(BumpedRibbonSizing.forRate(0.01))));

  private final String label;
  private final Function<byte[][], KeyFilter> maker;

  Peer(String label, Function<byte[][], KeyFilter> maker) {
    this.label = label;
    this.maker = maker;
  }

  /** A finished filter whose keys are byte arrays. */
  interface KeyFilter {
    boolean mightContain(byte[] key);

    long sizeInBits();
  }

  /** Returns the name of the filter in benchmark results. */
  public String label() {
    return label;
  }

  public static Peer ofLabel(String label) {
    for (Peer peer : values()) {
      if (peer.label.equals(label)) {
        return peer;
      }
    }
    throw new IllegalArgumentException("there is no filter '" + label + "'");
  }

  KeyFilter build(byte[][] keys) {
    return maker.apply(keys);
  }

  private static long[] hashes(byte[][] keys) {
    long[] hashes = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      hashes[i] = KeyHash.XXH3.hash(keys[i]);
    }
    return hashes;
  }

  @SuppressWarnings("UnstableApiUsage")
  private static KeyFilter guava(byte[][] keys) {
    com.google.common.hash.BloomFilter<byte[]> filter =
        com.google.common.hash.BloomFilter.create(Funnels.byteArrayFunnel(), keys.length, 0.01);
    for (byte[] key : keys) {
      filter.put(key);
    }
    long bits = (long) Math.ceil(-keys.length * Math.log(0.01) / (Math.log(2) * Math.log(2)));
    return new KeyFilter() {
      @Override
      public boolean mightContain(byte[] key) {
        return filter.mightContain(key);
      }

      @Override
      public long sizeInBits() {
        return (bits + 63) / 64 * 64; // Guava's formula; the class does not have it
      }
    };
  }

  private static KeyFilter datasketches(byte[][] keys) {
    BloomFilter filter = BloomFilterBuilder.createByAccuracy(keys.length, 0.01);
    for (byte[] key : keys) {
      filter.update(key);
    }
    return new KeyFilter() {
      @Override
      public boolean mightContain(byte[] key) {
        return filter.query(key);
      }

      @Override
      public long sizeInBits() {
        return 8L * filter.getSerializedSizeBytes();
      }
    };
  }

  private static KeyFilter fastfilter(Filter filter) {
    return new KeyFilter() {
      @Override
      public boolean mightContain(byte[] key) {
        return filter.mayContain(KeyHash.XXH3.hash(key));
      }

      @Override
      public long sizeInBits() {
        return filter.getBitCount();
      }
    };
  }

  private static KeyFilter single(byte[][] keys, FilterBuilder builder) {
    for (byte[] key : keys) {
      builder.add(KeyHash.XXH3.hash(key));
    }
    MembershipFilter filter = builder.finish().open();
    return new KeyFilter() {
      @Override
      public boolean mightContain(byte[] key) {
        return filter.mightContain(KeyHash.XXH3.hash(key));
      }

      @Override
      public long sizeInBits() {
        return 8 * filter.sizeInBytes();
      }
    };
  }

  /**
   * Builds as many filters of at most 128 KiB as the keys need. A key's hash selects its filter.
   */
  private static KeyFilter chunks(byte[][] keys, long keyLimit, Supplier<FilterBuilder> builders) {
    // A little room, because hashes do not fill all chunks alike.
    int count = (int) Math.ceil(keys.length / (0.99 * keyLimit));
    long[] hashes = hashes(keys);
    int[] ends = new int[count];
    for (long hash : hashes) {
      ends[chunkOf(hash, count)]++;
    }
    for (int i = 1; i < count; i++) {
      ends[i] += ends[i - 1];
    }
    int[] at = new int[count];
    System.arraycopy(ends, 0, at, 1, count - 1);
    long[] sorted = new long[hashes.length];
    for (long hash : hashes) {
      sorted[at[chunkOf(hash, count)]++] = hash;
    }
    FilterBuilder builder = builders.get();
    List<MembershipFilter> built = new ArrayList<>();
    int from = 0;
    for (int end : ends) {
      for (; from < end; from++) {
        builder.add(sorted[from]);
      }
      FilterImage image = builder.finish();
      built.add(image.open());
    }
    MembershipFilter[] filters = built.toArray(MembershipFilter[]::new);
    return new KeyFilter() {
      @Override
      public boolean mightContain(byte[] key) {
        long hash = KeyHash.XXH3.hash(key);
        return filters[chunkOf(hash, filters.length)].mightContain(hash);
      }

      @Override
      public long sizeInBits() {
        return built.stream().mapToLong(filter -> 8 * filter.sizeInBytes()).sum();
      }
    };
  }

  private static int chunkOf(long hash, int count) {
    return (int) (((hash * 0xD6E8FEB86659FD93L >>> 32) * count) >>> 32);
  }
}

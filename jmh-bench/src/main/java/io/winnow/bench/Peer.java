package io.winnow.bench;

import com.google.common.hash.Funnels;
import io.winnow.FilterBuilder;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import java.util.function.Function;
import java.util.function.Predicate;
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
enum Peer {
  GUAVA(Peer::guava),
  DATASKETCHES(Peer::datasketches),
  FASTFILTER_BLOOM(keys -> fastfilter(Bloom.construct(hashes(keys), 10))),
  FASTFILTER_BLOCKED_BLOOM(keys -> fastfilter(BlockedBloom.construct(hashes(keys), 10))),
  FASTFILTER_XOR8(keys -> fastfilter(Xor8.construct(hashes(keys)))),
  /**
   * The fuse filter of the library fastfilter, whose release on Maven Central has no binary fuse
   * filter yet.
   */
  FASTFILTER_XOR_FUSE8(keys -> fastfilter(XorFuse8.construct(hashes(keys)))),
  RIBBON(keys -> winnow(keys, "ribbon")),
  RIBBON_128(keys -> winnow(keys, "ribbon-128")),
  BUMPED_RIBBON(keys -> winnow(keys, "bumped-ribbon"));

  private final Function<byte[][], KeyFilter> maker;

  Peer(Function<byte[][], KeyFilter> maker) {
    this.maker = maker;
  }

  /**
   * A finished filter whose keys are byte arrays.
   *
   * @param test the probe, which is true if the answer is <i>maybe</i>
   */
  record KeyFilter(Predicate<byte[]> test, long sizeInBits) {}

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
    // Guava's formula; the class does not have it.
    long bits = (long) Math.ceil(-keys.length * Math.log(0.01) / (Math.log(2) * Math.log(2)));
    return new KeyFilter(filter::mightContain, (bits + 63) / 64 * 64);
  }

  private static KeyFilter datasketches(byte[][] keys) {
    BloomFilter filter = BloomFilterBuilder.createByAccuracy(keys.length, 0.01);
    for (byte[] key : keys) {
      filter.update(key);
    }
    return new KeyFilter(filter::query, 8L * filter.getSerializedSizeBytes());
  }

  private static KeyFilter fastfilter(Filter filter) {
    return new KeyFilter(key -> filter.mayContain(KeyHash.XXH3.hash(key)), filter.getBitCount());
  }

  private static KeyFilter winnow(byte[][] keys, String kind) {
    FilterBuilder builder = Kernel.builder(kind, true);
    for (byte[] key : keys) {
      builder.add(KeyHash.XXH3.hash(key));
    }
    MembershipFilter filter = builder.finish().open();
    return new KeyFilter(
        key -> filter.mightContain(KeyHash.XXH3.hash(key)), 8 * filter.sizeInBytes());
  }
}

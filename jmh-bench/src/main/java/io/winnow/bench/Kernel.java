package io.winnow.bench;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.List;

/** What the kernel benchmarks have in common: filters of 64-bit hashes, at 1 %. */
final class Kernel {
  static final double RATE = 0.01;

  /** Where an image may be that is not a heap array: README's buffer, off heap, HBase's parts. */
  static final List<String> BUFFERS = List.of("read-only", "direct", "split");

  /** The rows of a batch read, as Ribbon in Lindorm, section 3.3, has them. */
  static final int BATCH = 20;

  private static final int MIN_QUESTIONS = 64_000;
  private static final int MAX_QUESTIONS = 1_000_000;

  private Kernel() {}

  static FilterBuilder builder(String filter) {
    return builder(filter, true);
  }

  static FilterBuilder builder(String filter, boolean verified) {
    return switch (filter) {
      case "ribbon" -> FilterBuilder.of(RibbonSizing.forRate(RATE)).verified(verified);
      case "ribbon-128" -> FilterBuilder.of(RibbonSizing.forRate(RATE, 128)).verified(verified);
      case "bumped-ribbon" -> FilterBuilder.of(BumpedRibbonSizing.forRate(RATE)).verified(verified);
      default -> throw new IllegalArgumentException("filter is '" + filter + "', which is none");
    };
  }

  static FilterImage build(FilterBuilder builder, long[] hashes) {
    for (long hash : hashes) {
      builder.add(hash);
    }
    return builder.finish();
  }

  static long[] presentHashes(int n) {
    return presentHashes(0, n);
  }

  /** Those of the keys from {@code from} on. */
  static long[] presentHashes(int from, int n) {
    long[] hashes = new long[n];
    for (int i = 0; i < n; i++) {
      hashes[i] = Keys.present(from + i);
    }
    return hashes;
  }

  /** Hashes to ask for: a multiple of 1000, in random order. */
  static long[] questions(int n, String mix) {
    int count = Math.max(MIN_QUESTIONS, Math.min(MAX_QUESTIONS, n));
    return Keys.questions(n, count / 1000 * 1000, presentShare(mix));
  }

  private static double presentShare(String mix) {
    return switch (mix) {
      case "positive" -> 1;
      case "negative" -> 0;
      case "mixed" -> 0.5;
      default -> throw new IllegalArgumentException("mix is '" + mix + "', which is none");
    };
  }
}

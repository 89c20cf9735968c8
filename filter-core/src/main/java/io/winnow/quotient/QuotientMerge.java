package io.winnow.quotient;

import java.util.Arrays;
import java.util.List;

/**
 * Merges fingerprints in ascending order from any number of sources, streaming: nothing is kept but
 * one fingerprint of each.
 *
 * <p>The sources may differ in slots, remainder widths and schemes. Their universes must be equal
 * or differ by powers of two; finer fingerprints lose their low bits on the way, so that all become
 * those of the coarsest source. A fingerprint that several sources have comes as often as they have
 * it together.
 *
 * <p>Cost: {@code ceil(log2(sources))} comparisons per fingerprint, in a tournament (Knuth, The Art
 * of Computer Programming, volume 3, section 5.4.1).
 */
public final class QuotientMerge {
  private QuotientMerge() {}

  /**
   * The fingerprints of all sources, in order; the sources must not be used elsewhere meanwhile.
   *
   * @throws IllegalArgumentException if there are no sources, or if two universes do not differ by
   *     a power of two
   */
  public static FingerprintCursor of(List<FingerprintCursor> sources) {
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("nothing to merge");
    }
    long universe = Long.MAX_VALUE;
    for (FingerprintCursor source : sources) {
      universe = Math.min(universe, source.universe());
    }
    return of(sources, universe);
  }

  /**
   * As {@link #of(List)}, with fingerprints that are coarser still.
   *
   * @throws IllegalArgumentException if a source's universe is not this one times a power of two
   */
  public static FingerprintCursor of(List<FingerprintCursor> sources, long universe) {
    FingerprintCursor[] coarse = new FingerprintCursor[sources.size()];
    Arrays.setAll(coarse, i -> coarsened(sources.get(i), universe));
    return switch (coarse.length) {
      case 0 -> throw new IllegalArgumentException("nothing to merge");
      case 1 -> coarse[0];
      case 2 -> new Two(coarse[0], coarse[1]);
      default -> new Many(coarse);
    };
  }

  /**
   * The same fingerprints in a coarser universe, without their low bits.
   *
   * @throws IllegalArgumentException if the source's universe is not this one times a power of two
   */
  public static FingerprintCursor coarsened(FingerprintCursor source, long universe) {
    if (source.universe() == universe) {
      return source;
    }
    int bits = Long.numberOfLeadingZeros(universe) - Long.numberOfLeadingZeros(source.universe());
    if (universe < 1 || bits < 0 || universe << bits != source.universe()) {
      throw new IllegalArgumentException(
          source.universe() + " fingerprints are not " + universe + " times a power of two");
    }
    return new Coarse(source, universe, bits);
  }

  /** Each fingerprint once, as a set has it. */
  public static FingerprintCursor distinct(FingerprintCursor source) {
    return new Distinct(source);
  }

  /** The next fingerprint of a source, or what is greater than all if there is none. */
  private static long nextOf(FingerprintCursor source) {
    return source.next() ? source.fingerprint() : Long.MAX_VALUE;
  }

  /** Fingerprints made of others'. */
  private abstract static class Derived implements FingerprintCursor {
    private final long universe;
    private long fingerprint = -1;

    Derived(long universe) {
      this.universe = universe;
    }

    @Override
    public final long universe() {
      return universe;
    }

    @Override
    public final long fingerprint() {
      return fingerprint;
    }

    final boolean goTo(long next) {
      if (next == Long.MAX_VALUE) {
        return false;
      }
      fingerprint = next;
      return true;
    }
  }

  private static final class Coarse extends Derived {
    private final FingerprintCursor source;
    private final int bits;

    Coarse(FingerprintCursor source, long universe, int bits) {
      super(universe);
      this.source = source;
      this.bits = bits;
    }

    @Override
    public boolean next() {
      return source.next() && goTo(source.fingerprint() >>> bits);
    }
  }

  private static final class Distinct extends Derived {
    private final FingerprintCursor source;

    Distinct(FingerprintCursor source) {
      super(source.universe());
      this.source = source;
    }

    @Override
    public boolean next() {
      while (source.next()) {
        if (source.fingerprint() != fingerprint()) {
          return goTo(source.fingerprint());
        }
      }
      return false;
    }
  }

  private static final class Two extends Derived {
    private final FingerprintCursor left;
    private final FingerprintCursor right;
    private long nextLeft;
    private long nextRight;

    Two(FingerprintCursor left, FingerprintCursor right) {
      super(left.universe());
      this.left = left;
      this.right = right;
      this.nextLeft = nextOf(left);
      this.nextRight = nextOf(right);
    }

    @Override
    public boolean next() {
      if (!goTo(Math.min(nextLeft, nextRight))) {
        return false;
      }
      if (nextLeft == fingerprint()) {
        nextLeft = nextOf(left);
      } else {
        nextRight = nextOf(right);
      }
      return true;
    }
  }

  /** A tournament: each inner node of a tree over the sources remembers who lost there. */
  private static final class Many extends Derived {
    private final FingerprintCursor[] sources;
    private final long[] heads;
    private final int[] losers;
    private int winner;

    Many(FingerprintCursor[] sources) {
      super(sources[0].universe());
      this.sources = sources;
      this.heads = new long[sources.length];
      this.losers = new int[sources.length];
      for (int i = 0; i < sources.length; i++) {
        heads[i] = nextOf(sources[i]);
      }
      this.winner = play(1);
    }

    /** Plays the matches at and below a node, and gives the winner. Leaf i is node i + length. */
    private int play(int node) {
      if (node >= sources.length) {
        return node - sources.length;
      }
      int left = play(2 * node);
      int right = play(2 * node + 1);
      boolean leftWins = heads[left] <= heads[right];
      losers[node] = leftWins ? right : left;
      return leftWins ? left : right;
    }

    @Override
    public boolean next() {
      int best = winner;
      if (!goTo(heads[best])) {
        return false;
      }
      long head = nextOf(sources[best]);
      heads[best] = head;
      for (int node = (best + sources.length) >>> 1; node > 0; node >>>= 1) {
        int loser = losers[node];
        if (heads[loser] < head) {
          losers[node] = best;
          best = loser;
          head = heads[loser];
        }
      }
      winner = best;
      return true;
    }
  }
}

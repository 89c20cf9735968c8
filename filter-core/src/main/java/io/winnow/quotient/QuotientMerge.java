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

  private static final class Coarse implements FingerprintCursor {
    private final FingerprintCursor source;
    private final long universe;
    private final int bits;

    Coarse(FingerprintCursor source, long universe, int bits) {
      this.source = source;
      this.universe = universe;
      this.bits = bits;
    }

    @Override
    public long universe() {
      return universe;
    }

    @Override
    public boolean next() {
      return source.next();
    }

    @Override
    public long fingerprint() {
      return source.fingerprint() >>> bits;
    }
  }

  private static final class Distinct implements FingerprintCursor {
    private final FingerprintCursor source;
    private long fingerprint = -1;

    Distinct(FingerprintCursor source) {
      this.source = source;
    }

    @Override
    public long universe() {
      return source.universe();
    }

    @Override
    public boolean next() {
      while (source.next()) {
        long next = source.fingerprint();
        if (next != fingerprint) {
          fingerprint = next;
          return true;
        }
      }
      return false;
    }

    @Override
    public long fingerprint() {
      return fingerprint;
    }
  }

  /** The next fingerprint of a source, or what is greater than all if there is none. */
  private static long nextOf(FingerprintCursor source) {
    return source.next() ? source.fingerprint() : Long.MAX_VALUE;
  }

  private static final class Two implements FingerprintCursor {
    private final FingerprintCursor left;
    private final FingerprintCursor right;
    private long nextLeft;
    private long nextRight;
    private long fingerprint = -1;

    Two(FingerprintCursor left, FingerprintCursor right) {
      this.left = left;
      this.right = right;
      this.nextLeft = nextOf(left);
      this.nextRight = nextOf(right);
    }

    @Override
    public long universe() {
      return left.universe();
    }

    @Override
    public boolean next() {
      long next = Math.min(nextLeft, nextRight);
      if (next == Long.MAX_VALUE) {
        return false;
      }
      fingerprint = next;
      if (nextLeft == next) {
        nextLeft = nextOf(left);
      } else {
        nextRight = nextOf(right);
      }
      return true;
    }

    @Override
    public long fingerprint() {
      return fingerprint;
    }
  }

  /** A tournament: each inner node of a tree over the sources remembers who lost there. */
  private static final class Many implements FingerprintCursor {
    private final FingerprintCursor[] sources;
    private final long[] heads;
    private final int[] losers;
    private int winner;
    private long fingerprint = -1;

    Many(FingerprintCursor[] sources) {
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
    public long universe() {
      return sources[0].universe();
    }

    @Override
    public boolean next() {
      int best = winner;
      long next = heads[best];
      if (next == Long.MAX_VALUE) {
        return false;
      }
      fingerprint = next;
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

    @Override
    public long fingerprint() {
      return fingerprint;
    }
  }
}

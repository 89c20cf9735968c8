package io.winnow.hbase.read;

/**
 * Share of the missing chunks of one file's filter that are loaded again, by what earlier reloads
 * brought: a chunk must earn its load.
 *
 * <p>If the filters of a server do not fit its block cache, a probe finds that the cache has
 * evicted its chunk. To load the chunk again costs a read, and evicts other blocks. An answer
 * <i>maybe</i> without the chunk costs the read of a data block if the file does not have the key.
 * So a reload pays if enough answers <i>absent</i> follow before the chunk is evicted again. Each
 * file decides by its own answers: a file that has most of the keys that are queried gains little
 * by its filter.
 *
 * <p>After every {@value #RELOADS} reloads the answers since the last adjustment are counted. If
 * fewer than {@value #MIN_ABSENT} were <i>absent</i>, two for each reload, and these were less than
 * half of all, the share is halved, down to one in {@code 2^}{@value #MAX_HALVINGS}. Otherwise it
 * is doubled, up to all. The first load of a chunk is not a reload: it is always made.
 *
 * <p>Answers of the short cut are not counted. A chunk whose block need not be looked up is in the
 * cache in any case, so these answers do not show what a reload brings; and the short cut writes
 * nothing. docs/design/read-path.md has the reasons and the simulation.
 *
 * <p>Threads race for the counters, and a lost count does not matter.
 */
final class ReloadShare {
  /** Number of reloads between two adjustments of the share. */
  static final int RELOADS = 64;

  /** Minimum number of answers <i>absent</i> between two adjustments with which reloads pay. */
  static final int MIN_ABSENT = 2 * RELOADS;

  /** Maximum number of halvings: at least one missing chunk in 16 is loaded. */
  static final int MAX_HALVINGS = 4;

  /**
   * Share whose skipped load was the last thing that happened in a query of this thread; null if
   * the query had its chunk. A share refers to nothing, so a thread keeps no closed file by it.
   */
  private static final ThreadLocal<ReloadShare> SKIPPED = new ThreadLocal<>();

  private int halvings;
  private int reloads;
  private int answers;
  private int absent;

  /** Records that a query of this thread begins, whose chunk may be there. */
  void begin() {
    SKIPPED.set(null);
  }

  /**
   * Returns true if a chunk that the cache has evicted is loaded again.
   *
   * @param random 32 random bits, which pick the chunks
   */
  boolean loads(int random) {
    return (random & ((1 << halvings) - 1)) == 0;
  }

  /** Records that the query of this thread goes without its chunk. */
  void skipped() {
    SKIPPED.set(this);
  }

  /** Returns true if the last query of this thread went without its chunk. */
  boolean hasSkipped() {
    return SKIPPED.get() == this;
  }

  /** Records that a chunk was loaded again, and adjusts the share if it is time. */
  void reloaded() {
    if (++reloads < RELOADS) {
      return;
    }
    if (absent < MIN_ABSENT && 2 * absent < answers) {
      halvings = Math.min(MAX_HALVINGS, halvings + 1);
    } else {
      halvings = Math.max(0, halvings - 1);
    }
    reloads = 0;
    answers = 0;
    absent = 0;
  }

  /**
   * Records the answer of a chunk that was looked up or loaded.
   *
   * @param passed true if the answer was <i>maybe</i>
   */
  void answered(boolean passed) {
    answers++;
    if (!passed) {
      absent++;
    }
  }
}

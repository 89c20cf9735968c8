package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Durability;
import java.util.Objects;

/**
 * What becomes of the entries of a super table's oldest incarnation when the next one needs its
 * slot. Immutable.
 *
 * <p>Source: "Eviction for streaming apps" in the talk of Anand et al., NSDI 2010: full discard,
 * and partial discard by priority or of what was updated.
 */
public final class Eviction {
  /** Decides which entries stay. Called by the thread that writes incarnations, for each entry. */
  public interface Priority {
    /**
     * Whether the entry is to stay.
     *
     * @param keyHash the fingerprint; in a table of {@code byte[]} keys the key's XXH3 hash
     * @param key the key; null in a table of fingerprints
     */
    boolean isHigh(long keyHash, byte[] key, byte[] value);
  }

  private static final Eviction FIFO = new Eviction(null);
  private static final Eviction NOT_UPDATED = new Eviction((keyHash, key, value) -> true);
  private static final Eviction LEAST_RECENTLY_USED = new Eviction(null);

  /** Null if all are discarded. */
  final Priority priority;

  private Eviction(Priority priority) {
    this.priority = priority;
  }

  /**
   * Full discard, the default: all entries go, the oldest first. It costs nothing: nothing is read.
   */
  public static Eviction fifo() {
    return FIFO;
  }

  /**
   * Partial discard: entries of high priority go back into the buffer, the others go. One that was
   * updated or deleted since does not come back.
   *
   * <p>Retained entries go to flash with the buffer that is being written, if that has room; else
   * they fill at most half of the next one, so that there is always room for new ones. Beyond that
   * they go, and are counted. Until that write is done puts fill the other half alone, and then
   * wait. Cost: each incarnation is read again before it is overwritten, and each retained entry is
   * written once more per round of the ring, and looked up in the filters.
   *
   * <p>With a log, they are logged and synced before the old copy is overwritten. With {@link
   * Durability#NONE} a crash may lose them, as it may lose everything in a buffer, also if a sync
   * before had made the old copy safe.
   */
  public static Eviction keeping(Priority priority) {
    return new Eviction(Objects.requireNonNull(priority, "priority"));
  }

  /**
   * Update-based: an entry goes if it was updated or deleted since, and stays otherwise, as far as
   * there is room ({@link #keeping}, with a high priority for all). So flash has few entries that
   * nobody can see, and the ring holds more keys where many are updated.
   */
  public static Eviction keepingWhatWasNotUpdated() {
    return NOT_UPDATED;
  }

  /**
   * Least recently used: an entry that a lookup finds in the older half of the ring goes back into
   * the buffer, and so becomes the newest. What was not used for a round of the ring goes. Uses of
   * entries in the newer half need no copy: these are safe for another half round.
   *
   * <p>Cost: an entry that is used often is written about twice per round. A use is not logged, and
   * is forgotten if the buffer is just full: a crash may undo it.
   */
  public static Eviction leastRecentlyUsed() {
    return LEAST_RECENTLY_USED;
  }

  boolean reinsertsOnUse() {
    return this == LEAST_RECENTLY_USED;
  }
}

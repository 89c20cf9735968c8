package io.winnow.flash.bufferhash;

import io.winnow.flash.store.Durability;
import java.util.Objects;

/**
 * Fate of the entries of a super table's oldest incarnation when a new one takes its place on
 * flash. Immutable.
 *
 * <p>Source: "Eviction for streaming apps" in the talk of Anand et al., NSDI 2010: full discard,
 * and partial discard by priority or by update.
 */
public final class Eviction {
  /**
   * Decides which entries of an evicted incarnation stay in the table. The thread that writes
   * incarnations calls it for each entry.
   */
  public interface Priority {
    /**
     * Returns whether an entry should stay in the table.
     *
     * @param keyHash the fingerprint; in a table of {@code byte[]} keys the key's XXH3 hash
     * @param key the key, or null in a table of fingerprints
     */
    boolean isHigh(long keyHash, byte[] key, byte[] value);
  }

  private static final Eviction FIFO = new Eviction("fifo", null);
  private static final Eviction LATEST = new Eviction("keepLatest", (keyHash, key, value) -> true);
  private static final Eviction LEAST_RECENTLY_USED = new Eviction("leastRecentlyUsed", null);

  private final String name;

  /** Function that decides which entries stay, or null if all are discarded. */
  final Priority priority;

  private Eviction(String name, Priority priority) {
    this.name = name;
    this.priority = priority;
  }

  /**
   * Returns full discard, the default: all entries of the oldest incarnation are discarded. It
   * costs nothing, since nothing is read.
   */
  public static Eviction fifo() {
    return FIFO;
  }

  /**
   * Returns partial discard: entries of high priority are put back into the buffer, the others are
   * discarded. An entry that was updated or deleted later is discarded.
   *
   * <p>Retained entries are written with the buffer that is being written, if that has room.
   * Otherwise they fill at most half of the next one, so that there is always room for new entries;
   * those beyond that are discarded and counted. Until that write is done, puts fill only the other
   * half and then wait. Cost: each incarnation is read again before it is overwritten, and each
   * retained entry is written once more per round of the ring, and looked up in the filters.
   *
   * <p>With a log, retained entries are logged and synced before the old copy is overwritten. With
   * {@link Durability#NONE} a crash may lose them, like everything in a buffer, even if an earlier
   * sync had made the old copy durable.
   */
  public static Eviction keeping(Priority priority) {
    return new Eviction("keeping " + priority, Objects.requireNonNull(priority, "priority"));
  }

  /**
   * Returns update-based eviction: an entry that was updated or deleted later is discarded; the
   * latest entry of each key stays if there is room. It is {@link #keeping} with a high priority
   * for all entries. So flash has few entries that no lookup can find, and the ring holds more keys
   * if many are updated.
   */
  public static Eviction keepLatest() {
    return LATEST;
  }

  /**
   * Returns eviction of the least recently used: an entry that a lookup finds in the older half of
   * the ring is put back into the buffer, and so becomes the newest. Entries that were not used for
   * a round of the ring are discarded. Entries in the newer half are not copied when they are used,
   * because they stay for another half round.
   *
   * <p>Cost: an entry that is used often is written about twice per round. A use is not logged, and
   * is ignored if the buffer is full: a crash may undo it.
   */
  public static Eviction leastRecentlyUsed() {
    return LEAST_RECENTLY_USED;
  }

  /** Returns whether a lookup puts old entries that it finds back into a buffer. */
  boolean reinsertsOnUse() {
    return this == LEAST_RECENTLY_USED;
  }

  @Override
  public String toString() {
    return name;
  }
}

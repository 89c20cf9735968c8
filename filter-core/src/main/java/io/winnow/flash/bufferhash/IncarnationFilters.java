package io.winnow.flash.bufferhash;

/**
 * The filters of the incarnations (written buffers) of one super table, by their slots.
 *
 * <p>One thread at a time changes them, and only for slots that no lookup probes: the super table
 * publishes a slot after its filter is complete, and withdraws it before the filter changes.
 */
interface IncarnationFilters {

  /**
   * Clears the bits of those incarnations' slots whose filters rule a key out. Only one thread at a
   * time may call it.
   *
   * @param slots the slots to probe, as bits
   */
  void narrow(long keyHash, long[] slots);

  /**
   * Builds the filter of a slot from the hashes of an incarnation's keys, and replaces the existing
   * filter.
   */
  StoredFilter build(int slot, long[] keyHashes, int count);

  /**
   * Loads the filter of a slot as it was stored in the incarnation's index.
   *
   * @return false if it has another kind or size, so that it must be built again
   */
  boolean load(int slot, StoredFilter stored);
}

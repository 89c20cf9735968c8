package io.winnow.flash.bufferhash;

/**
 * The filters of one super table's incarnations, by their slots.
 *
 * <p>One thread at a time changes them, and only for slots that no lookup probes: the super table
 * publishes a slot after its filter is complete, and withdraws it before the filter changes.
 */
interface IncarnationFilters {

  /**
   * Clears the bits of those slots that certainly have no entry of a key. Only one thread at a time
   * may call it.
   *
   * @param slots the slots to probe, as bits
   */
  void narrow(long keyHash, long[] slots);

  /** Builds the filter of a slot from the hashes of its keys, and replaces the existing one. */
  StoredFilter build(int slot, long[] keyHashes, int count);

  /**
   * Loads a filter from an incarnation's index.
   *
   * @return false if it has another kind or size, so that it must be built again
   */
  boolean load(int slot, StoredFilter stored);
}

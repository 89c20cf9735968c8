package io.winnow.flash.bufferhash;

/**
 * The filters of one super table's incarnations, by their slots.
 *
 * <p>Changed by one thread at a time, and only for slots that are not among those that are asked:
 * the super table makes a slot known after its filter is complete, and unknown before it changes.
 */
interface IncarnationFilters {

  /**
   * Of the slots whose bits are set, clears the bits of those that certainly have no entry of this
   * key. By one thread at a time.
   */
  void narrow(long keyHash, long[] slots);

  /** Makes a slot's filter of the hashes of its keys, in place of the one that is there. */
  StoredFilter build(int slot, long[] keyHashes, int count);

  /**
   * Takes a filter from an incarnation's index.
   *
   * @return false if it is of another kind or shape, and must be built anew
   */
  boolean load(int slot, StoredFilter stored);
}

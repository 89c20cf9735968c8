/**
 * The cascade filter: a set that is larger than memory, on flash.
 *
 * <pre>
 *   insert --> MemoryLevel, active            partitions; full: it is frozen, another one begins
 *              MemoryLevel, frozen  --+
 *              rank 1  [==]         --+--> merged into a new rank 1, while both still answer
 *              rank 2  [==========]
 *              rank 3  [===========================================]
 *                           one page read per level, newest level first  &lt;-- mightContain
 * </pre>
 *
 * <p>{@link io.winnow.cascade.CascadeFilter} is the entry point; {@link
 * io.winnow.cascade.CascadeReader} reads its directory without a lock. Levels are sorted sequences
 * of fingerprints, and every change to them is a merge in another thread. Readers hold an immutable
 * {@link io.winnow.cascade.View}, so no merge makes them wait.
 *
 * <h2>A level is a full quotient filter</h2>
 *
 * A level on flash never changes. So it needs no empty slots and no three bits per slot: for each
 * quotient it has a one per remainder, and then a zero; the remainders follow one another. This is
 * a rank-select quotient filter at a load of 1, or Elias and Fano's code for a sorted sequence. It
 * takes r + 2 to r + 3 bits per key; a quotient filter at 95 % load takes (r + 2.125) / 0.95.
 *
 * <p>Each page is coded by itself, so a lookup reads one page. The <em>fences</em>, the top 32 bits
 * of each page's first fingerprint, say which page. They take 4 bytes of memory per page: 1 MB for
 * 500 million keys. Pages end only where the top 32 bits change, so a lookup reads two pages of a
 * level only if thousands of keys were made to agree in 32 mixed bits.
 *
 * <h2>Sources</h2>
 *
 * Bender et al., "Don't Thrash: How to Cache Your Hash on Flash", HotStorage 2011, section "Cascade
 * filter". The paper leaves de-amortized and parallel merges as future work and has no crashes;
 * {@code docs/design/cascade.md} has ours, {@code docs/format/cascade-v2.md} the bytes.
 */
package io.winnow.cascade;

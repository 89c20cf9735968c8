/**
 * Quotient filters: a set as a sorted hash table of fingerprints, with next to no pointers.
 *
 * <p>A hash is mixed and shortened to a <em>fingerprint</em>, and that is cut in two. The
 * <em>quotient</em>, its high part, names a slot and need not be stored; the <em>remainder</em>,
 * its low part, is what the slot gets. Here with eight slots, and remainders a to h:
 *
 * <pre>
 *   fingerprints   1c 1e 2b 2f 2h 5d       quotient and remainder, sorted
 *
 *   slot           0    1    2    3    4    5    6    7
 *   remainder           c    e    b    f    h    d
 *                      '--1---' '-----2------' '5-'       runs
 *                       ^canonical slot of 1
 *                            ^of 2, taken by 1's run: shifted
 *                                           ^of 5, taken: shifted
 * </pre>
 *
 * <p>Remainders of one quotient stand together, ascending: a <em>run</em>. A run starts in its
 * quotient's <em>canonical slot</em>, or, where that is taken, right after the run before it.
 * Remainders without a free slot between them are a <em>cluster</em>. So the whole table is sorted,
 * and reading it from left to right gives back every fingerprint in order: which is what makes
 * iterating, merging, growing and shrinking a single pass each, without the keys. Inserting shifts
 * the rest of a cluster up by a slot, deleting shifts it down.
 *
 * <p>What remains is to know where the run of a quotient is. There are two schemes ({@link
 * io.winnow.quotient.QuotientScheme}):
 *
 * <pre>
 *   slot                        0  1  2  3  4  5  6  7
 *   rank-and-select  occupied   .  1  1  .  .  1  .  .      the n-th occupied quotient's run
 *                    runend     .  .  1  .  .  1  1  .      ends at the n-th runend
 *   three bits       occupied   .  1  1  .  .  1  .  .
 *                    continued  .  .  1  .  1  1  .  .      goes on with the run before it
 *                    shifted    .  .  1  1  1  1  1  .      not in its canonical slot
 * </pre>
 *
 * <p>With rank and select, counting need not start at slot 0: each block of 64 slots has an
 * <em>offset</em> that says how far the runs of the blocks before reach into it. With three bits it
 * starts at the cluster's beginning, the nearest slot to the left that is not shifted; clusters
 * become long above a load of 3/4.
 *
 * <p>{@link io.winnow.quotient.QuotientShape} makes a fingerprint and a place of a hash. {@link
 * io.winnow.quotient.QuotientFilter} is the filter that changes, over a {@code QuotientTable};
 * {@link io.winnow.quotient.QuotientLayout} probes the one that does not, in the bytes of an image.
 * In both, the {@code TableReader} of the scheme finds runs, a {@code TableCursor} reads in order,
 * and a {@code TableWriter} writes in order. {@link io.winnow.quotient.QuotientSizing} makes a
 * filter of keys that come in any order, for a file.
 *
 * <p>Bender, Farach-Colton, Johnson, Kuszmaul, Medjedovic, Montes, Shetty, Spillane and Zadok,
 * "Don't Thrash: How to Cache Your Hash on Flash", HotStorage 2011. Pandey, Bender, Johnson and
 * Patro, "A General-Purpose Counting Filter: Making Every Bit Count", SIGMOD 2017. What we chose
 * otherwise, and what that costs: {@code docs/design/quotient.md}.
 */
package io.winnow.quotient;

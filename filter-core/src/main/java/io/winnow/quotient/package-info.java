/**
 * Quotient filters: a set as a sorted hash table of fingerprints, with next to no pointers.
 *
 * <p>{@link io.winnow.quotient.QuotientFilter} changes while it is in use, {@link
 * io.winnow.quotient.QuotientSizing} makes a filter for a file, and {@link
 * io.winnow.quotient.QuotientLayout} probes that in its bytes.
 *
 * <h2>The table</h2>
 *
 * A hash is mixed and shortened to a <em>fingerprint</em>. Its high part, the <em>quotient</em>,
 * names a slot and is not stored. Its low part, the <em>remainder</em>, is stored there. Here are
 * eight slots, and remainders a to h:
 *
 * <pre>
 *   fingerprints   1c 1e 2b 2f 2h 5d       quotient and remainder, sorted
 *
 *   slot           0    1    2    3    4    5    6    7
 *   remainder           c    e    b    f    h    d
 *                      '--1---' '-----2------' '5-'       runs
 *                       ^canonical slot of 1
 *                            ^of 2, taken by the run of 1: shifted
 *                                           ^of 5, taken: shifted
 * </pre>
 *
 * The remainders of one quotient are stored together in ascending order: a <em>run</em>. It starts
 * in the <em>canonical slot</em> of its quotient, or directly after the run before it. Remainders
 * without a free slot between them are a <em>cluster</em>. The table is sorted, so iterating,
 * merging, growing and shrinking take one pass, without the keys. An insert shifts the rest of a
 * cluster up by a slot, and a delete shifts it down.
 *
 * <h2>Finding a run</h2>
 *
 * There are two schemes ({@link io.winnow.quotient.QuotientScheme}):
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
 * With rank and select, each block of 64 slots has an <em>offset</em>: how far the runs of earlier
 * blocks reach into it. So a lookup starts to count at the block. With three bits it starts at the
 * beginning of the cluster, the nearest slot to the left that is not shifted; above a load of 3/4
 * clusters become long.
 *
 * <h2>Sources</h2>
 *
 * Bender, Farach-Colton, Johnson, Kuszmaul, Medjedovic, Montes, Shetty, Spillane and Zadok, "Don't
 * Thrash: How to Cache Your Hash on Flash", HotStorage 2011; Pandey, Bender, Johnson and Patro, "A
 * General-Purpose Counting Filter: Making Every Bit Count", SIGMOD 2017 (rank and select). Our
 * table can have any number of slots, and it does not wrap around: {@code docs/design/quotient.md}.
 */
package io.winnow.quotient;

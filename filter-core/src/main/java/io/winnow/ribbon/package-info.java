/**
 * Ribbon filters: a set as the solution of a linear system over GF(2).
 *
 * <p>Picture a table with one row per <em>slot</em> and a few bit <em>columns</em>, seven for 1 %.
 * A key's hash gives a <em>start</em>, that is a window of {@code w} consecutive slots, and a
 * random <em>coefficient row</em> that picks about half of that window:
 *
 * <pre>
 *   slots  ... 0 1 2 3 4 5 6 7 8 9 ...
 *   key a          1 0 1 1 0 1            the picked slots' bits, xored, must be 0 in each column
 *   key b              1 1 0 0 1 0
 *   key c              1 0 1 1 1 1        same start: elimination leaves (b xor c), which begins
 *                                          at slot 5 and takes that as its pivot
 * </pre>
 *
 * <p>Because rows are short and lie along a diagonal (a ribbon), Gaussian elimination takes a key
 * at a time, in order, touching only the neighbourhood of its start. Once every key's row is in
 * echelon form, the table is filled from the last slot backwards: a slot with a row gets what that
 * row demands, a free slot a random bit. A key that was in the set then sums to zero in all
 * columns; another one does so by chance, with probability {@code 2^-columns}.
 *
 * <p><em>Homogeneous</em> means that all sums are zero rather than a fingerprint of the key. Then
 * no row can contradict the others and building cannot fail; the price is that where keys crowd,
 * the system forces slots to zero and the rate rises there. {@link io.winnow.ribbon.RibbonSizing}
 * leaves enough slots free to make that rare, and {@code RibbonRate} finds it where it still
 * happens.
 *
 * <p><em>Bumped</em> goes the other way. Sums are fingerprints, so the rate is exact wherever a key
 * lies, but rows can contradict each other; and there are on purpose fewer slots than keys, so some
 * must. Starts are cut into <em>buckets</em>, filled from their ends to their beginnings; where a
 * row contradicts, the rest of its bucket is bumped to the next <em>layer</em>, a filter of the
 * same kind a twentieth of the size, and a <em>threshold</em> of two bits tells a probe so:
 *
 * <pre>
 *   bucket     |0   17   36                       128|
 *   all kept   |kept|kept|kept                       |   threshold 3
 *   low kept   |next|kept|kept                       |             2
 *   high kept  |next|next|kept                       |             1
 *   none kept  |next|next|next                       |             0
 *               &lt;---------- keys are added from here
 * </pre>
 *
 * <p>Nearly all slots get filled: that is where the last few per cent of space are. The last layer
 * is homogeneous and takes whatever comes, so that this, too, cannot fail.
 *
 * <p><em>Interleaved</em> storage keeps the table by blocks of {@code w} slots, and in a block
 * column by column, so that a probe is a handful of word-wide ANDs and one parity per column.
 * Letting the first blocks have one column fewer meets any rate, not just powers of two.
 *
 * <p>How the builds go, step by step: {@code docs/design/ribbon-build.md} and {@code
 * docs/design/bumped-ribbon.md}.
 *
 * <p>Peter C. Dillinger and Stefan Walzer, "Ribbon filter: practically smaller than Bloom and Xor",
 * arXiv 2103.02515. Peter C. Dillinger, Lorenz Hübschle-Schneider, Peter Sanders and Stefan Walzer,
 * "Fast Succinct Retrieval and Approximate Membership using Ribbon", arXiv 2109.01892.
 */
package io.winnow.ribbon;

/**
 * Ribbon filters: a set as the solution of a linear system over GF(2).
 *
 * <h2>The system</h2>
 *
 * Picture a table with one row per <em>slot</em> and a few bit <em>columns</em>, seven for a rate
 * of 1 %. The hash of a key has a <em>start</em>, which is a window of {@code w} consecutive slots,
 * and a random <em>coefficient row</em>, which picks about half of the window:
 *
 * <pre>
 *   slots  ... 0 1 2 3 4 5 6 7 8 9 ...
 *   key a          1 0 1 1 0 1            In each column, the xor of the picked slots is 0.
 *   key b              1 1 0 0 1 0
 *   key c              1 0 1 1 1 1        It has the start of b. Elimination leaves (b xor c),
 *                                         which begins at slot 5 and takes that as its pivot.
 * </pre>
 *
 * The rows are short and lie along a diagonal, like a ribbon. So Gaussian elimination
 * (<em>banding</em>) takes one key at a time, and each step touches a few words near its start.
 * Then <em>back-substitution</em> fills the table from the last slot to the first: a slot that is a
 * pivot gets the bit that its row demands, a free slot a random bit. The xor of a key of the set is
 * then 0 in all columns. That of another key is so by chance, with the probability {@code
 * 2^-columns}.
 *
 * <p>The solution is <em>interleaved</em>: blocks of {@code w} slots, and in a block one word per
 * column. A probe needs two words per column, an AND and a parity. The first blocks may have one
 * column less, so that a filter can have any rate.
 *
 * <h2>Homogeneous filters</h2>
 *
 * {@link io.winnow.ribbon.RibbonSizing} makes them. All sums are 0, so no row contradicts another
 * one and a build cannot fail. But where many keys start close together, the system forces slots to
 * 0 and the rate rises. So 8 to 9 % of the slots stay free at width 64, and {@code RibbonRate}
 * measures the rate of each solution before it leaves the build.
 *
 * <h2>Bumped filters</h2>
 *
 * {@link io.winnow.ribbon.BumpedRibbonSizing} makes them. The sums are a <em>fingerprint</em> of
 * the key, so the shape alone gives the exact rate. Rows may contradict each other, and some always
 * do, because a layer has only 0.957 slots per key. It keeps the keys that fit and <em>bumps</em>
 * the others to a second layer, which has a twentieth of the keys and is built in the same way. The
 * last layer is homogeneous and takes every key.
 *
 * <p>A probe learns from two bits whether a key was bumped. Starts are cut into <em>buckets</em> of
 * 128, and a bucket into three thirds of unequal size. The <em>threshold</em> of a bucket says
 * which thirds the layer kept:
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
 * Keys come bucket by bucket in ascending order, and in a bucket from its end to its beginning. If
 * a key of a third contradicts, the builder takes the whole third back, and bumps it with all
 * thirds that would have come after it. That is cheap: no other row was reduced by the rows of this
 * third, so its slots are cleared. The order follows from the shape of rows. The bucket before has
 * filled some of the first slots, which are the crowded ones; so the safe keys come first, and
 * those that compete for the crowded slots are bumped.
 *
 * <h2>Sources</h2>
 *
 * Peter C. Dillinger and Stefan Walzer, "Ribbon filter: practically smaller than Bloom and Xor",
 * arXiv 2103.02515 (homogeneous filters); Dillinger, Lorenz Hübschle-Schneider, Peter Sanders and
 * Walzer, "Fast Succinct Retrieval and Approximate Membership using Ribbon", arXiv 2109.01892
 * (bumped filters). We differ from the second one in the last layer, which is a Ribbon of generous
 * size there, and in one width, one size of buckets and one pair of positions for all rates, which
 * are constants of the format.
 */
package io.winnow.ribbon;

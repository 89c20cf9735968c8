/**
 * The classic Bloom filter on flash.
 *
 * <pre>
 *   bits  0 0 1 0 0 0 1 1 0 0 1 0 0 1 0 0
 *             ^       ^ ^     ^     ^
 *   key a     |       +-|-----+     |      k = 3: all three are set, so maybe present
 *   key b     +---------+-----------+
 *   key c   ^                              the first one is not set: certainly absent
 * </pre>
 *
 * <p>The filters on flash do a random write for a few bits. They are here for comparison: {@code
 * io.winnow.cascade} avoids these writes.
 */
package io.winnow.flash.bloom;

/**
 * The classic Bloom filter: one array of bits, of which each key sets {@code k}.
 *
 * <pre>
 *   bits  0 0 1 0 0 0 1 1 0 0 1 0 0 1 0 0
 *             ^       ^ ^     ^     ^
 *   key a     |       +-|-----+     |      k = 3: all three set, so maybe present
 *   key b     +---------+-----------+
 *   key c   ^                              the first one not set: certainly absent
 * </pre>
 *
 * <p>It is what the others are measured against, and what filters on flash are made of: {@link
 * io.winnow.bloom.BloomSizing} says how many bits and positions, {@link
 * io.winnow.bloom.BloomPositions} where a key's positions lie, whoever holds the bits; {@link
 * io.winnow.bloom.BloomFilter} holds them in memory. Nothing can be taken out again, and a full
 * filter cannot grow: {@code io.winnow.quotient} can do both.
 *
 * <p>Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 1970.
 */
package io.winnow.bloom;

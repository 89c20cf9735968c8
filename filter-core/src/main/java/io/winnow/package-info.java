/**
 * START HERE: Winnow's filters.
 *
 * <pre>
 *   key bytes --KeyHash--> 64 bits --FilterBuilder--> FilterImage (bytes, self-describing)
 *                             |                            |
 *                             |                       Filters.open        in place, no copy
 *                             v                            v
 *                        mightContain  &lt;-----------  MembershipFilter
 * </pre>
 *
 * <p>Which filter when:
 *
 * <ul>
 *   <li>{@link io.winnow.ribbon.BumpedRibbonFilter}, recommended: a set that is built once and then
 *       only read, such as a store file's keys. 30 % smaller than a Bloom filter, and within 2 % of
 *       the least that is possible at all; building cannot fail.
 *   <li>{@link io.winnow.ribbon.HomogeneousRibbonFilter}: the same, for who would rather build
 *       faster. A quarter smaller than a Bloom filter. Up to a few thousand keys it is the smallest
 *       one, and the builder of the other kind chooses it by itself.
 *   <li>{@link io.winnow.quotient.QuotientFilter}: a set that changes while it is in use. It takes
 *       inserts and deletes, grows, shrinks and merges without the keys, and can be read in order.
 *       As large as a Bloom filter at 95 % load, and twice that just after it has doubled.
 *   <li>{@link io.winnow.bloom.BloomFilter}: the classic, in memory only, to compare with and to
 *       build upon. On flash: {@link io.winnow.flash.FlashBloomFilter} and {@link
 *       io.winnow.flash.ElevatorBloomFilter}.
 *   <li>{@link io.winnow.cascade.CascadeFilter}: a set that grows, and is larger than memory. It
 *       lives on flash, and a lookup reads a page of it per level.
 * </ul>
 *
 * <p>What holds for all of them: a hash that went in is found, always; bytes that are damaged are
 * refused at open with {@link io.winnow.FilterFormatException}; a probe allocates nothing.
 *
 * <p>The packages: {@link io.winnow.hash} makes 64 bits of a key, {@link io.winnow.bits} reads
 * bytes wherever they lie, {@link io.winnow.format} is the header that every image starts with, and
 * each further package is one filter, but for {@link io.winnow.flash}: pages on a drive.
 */
package io.winnow;

/**
 * START HERE: Winnow's filters.
 *
 * <pre>
 *   a kind and a rate: FilterSizing
 *                           |
 *   key bytes --KeyHash--> FilterBuilder --finish--> FilterImage: bytes that describe themselves
 *       |          |                                      |
 *       |          |                                 Filters.open: in place, no copy
 *       v          v                                      v
 *     mightContain, by key or by hash  &lt;-----------  ImageFilter
 * </pre>
 *
 * <p>Which filter when:
 *
 * <ul>
 *   <li>{@link io.winnow.ribbon.BumpedRibbonSizing}, recommended: a set that is built once and then
 *       only read, such as a store file's keys. 30 % smaller than a Bloom filter, and within 2 % of
 *       the least that is possible at all.
 *   <li>{@link io.winnow.ribbon.RibbonSizing}: the same, if you would rather build faster. A
 *       quarter smaller than a Bloom filter. Up to a few thousand keys it is the smallest one, and
 *       the other kind then chooses it by itself.
 *   <li>{@link io.winnow.quotient.QuotientFilter}: a set that changes while it is in use. It takes
 *       inserts and deletes, grows, shrinks and merges without the keys, and can be read in order.
 *       As large as a Bloom filter at 95 % load, and twice that just after it has doubled. {@link
 *       io.winnow.quotient.QuotientSizing} makes one that does not change.
 *   <li>{@link io.winnow.cascade.CascadeFilter}: a set that grows, and is larger than memory. It
 *       lives on flash, and a lookup reads a page of it per level. {@link io.winnow.flash} has the
 *       filters that it is measured against.
 *   <li>{@link io.winnow.flash.buffered.BufferedBloomFilter}: a set on flash of a size that is
 *       known, for who can wait a little for answers. A quarter of the memory of a Bloom filter, or
 *       less.
 *   <li>{@link io.winnow.flash.bufferhash.BufferHash}: no set, but a map on flash, from keys to
 *       small values.
 * </ul>
 *
 * <p>What holds for all filters: a key that went in is found, always; building cannot fail; bytes
 * that are damaged are refused at open with {@link io.winnow.FilterFormatException}; a probe
 * allocates nothing.
 *
 * <p>The packages: {@link io.winnow.hash} makes 64 bits of a key, {@link io.winnow.bits} reads
 * bytes wherever they lie, {@link io.winnow.format} is the header that every image starts with,
 * {@link io.winnow.build} is what all builds share, and each further package is one kind of filter,
 * but for {@link io.winnow.flash}: pages on a drive, and Bloom filters on them.
 */
package io.winnow;

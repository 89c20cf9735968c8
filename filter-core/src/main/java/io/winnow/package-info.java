/**
 * START HERE: filters, which are approximate sets of keys, from their build to a probe of their
 * bytes.
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
 * <p>A key that was added is always found; building cannot fail; damaged bytes are refused at open
 * with {@link io.winnow.FilterFormatException}; a probe allocates nothing. For a set that is built
 * once use {@link io.winnow.ribbon.BumpedRibbonSizing}, and for one that changes {@link
 * io.winnow.quotient.QuotientFilter}. Sets on flash are {@link io.winnow.cascade.CascadeFilter} and
 * {@link io.winnow.flash.buffered.BufferedBloomFilter}, and a map is {@link
 * io.winnow.flash.bufferhash.BufferHash}.
 */
package io.winnow;

/**
 * Classes that read the filters of store files and probe them. {@link
 * io.winnow.hbase.read.WinnowFilterReader} finds a key's chunk, takes it from the block cache, and
 * probes it in place.
 *
 * <p>In doubt the answer is {@code true}. {@link io.winnow.hbase.read.FilterFacts} and {@link
 * io.winnow.hbase.read.StoreFilters} are for tools.
 */
package io.winnow.hbase.read;

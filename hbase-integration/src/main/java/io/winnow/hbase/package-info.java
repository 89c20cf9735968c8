/**
 * The swap: Winnow's filters in the place of the Bloom filters of a stock HBase.
 *
 * <pre>
 *   BloomFilterFactory (woven by {@link io.winnow.hbase.agent.WinnowAgent})
 *        |
 *        v
 *   {@link io.winnow.hbase.WinnowHooks} --- did the family ask? {@link io.winnow.hbase.WinnowSettings}
 *        |                  |
 *      write               read
 *        v                  v
 *   {@link io.winnow.hbase.WinnowChunkWriter}   {@link io.winnow.hbase.WinnowFilterReader}
 *        |                  |
 *        +---- {@link io.winnow.hbase.FilterMeta} ----+      docs/format/hfile-meta-v1.md
 *              {@link io.winnow.hbase.ChunkIndex}
 * </pre>
 *
 * <p>A store file's filter is a sequence of chunks, each an inline {@code BLOOM_CHUNK} block that
 * holds one serialized filter, and a meta block in the load-on-open section that says which chunk
 * has which keys. A key belongs to the last chunk whose first key is not greater than the key;
 * before the first chunk there is none.
 *
 * <p>A store asks for its filters with the family's settings at hand. {@link
 * io.winnow.hbase.BulkLoadHooks} brings them to the tools that write store files outside a store:
 * docs/bulk-load.md. Where a flush or a compaction writes, {@link io.winnow.hbase.StoreHooks} tells
 * what else is in the store, and {@code StoreRate} makes an error rate of that:
 * docs/design/store-rates.md.
 *
 * <p>Two jars are made from this module. {@code winnow-hbase.jar} is for servers and operators:
 * this package, {@code agent} and {@code metrics}, with the filters of {@code io.winnow}. {@code
 * winnow-lab.jar} goes beside it where Winnow is tried out and measured: {@code quickstart}, {@code
 * standalone}, {@code rates}, {@code report}, {@code storefile} and {@code command}.
 *
 * <p>The rule above all others: a probe in doubt answers {@code true}, and nothing but {@link
 * java.lang.IllegalArgumentException} (at open) leaves the read path, because that is what HBase
 * answers by serving the file without its filter. On the write side a wrong setting, and whatever
 * else goes wrong, ends in a stock filter or none: a flush always goes through.
 */
package io.winnow.hbase;

/**
 * Classes that build the filters of store files and write them. HBase sees {@link
 * io.winnow.hbase.write.WinnowChunkWriter}, {@link io.winnow.hbase.write.FilterAssembly} makes
 * chunks of keys, and {@link io.winnow.hbase.write.BuildMemory} keeps all filters under
 * construction below a limit.
 *
 * <p>Nothing fails because of a filter: it is given up, and the file has none.
 */
package io.winnow.hbase.write;

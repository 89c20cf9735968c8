/**
 * {@code ./winnow flash bench}: what keeps a set or a map on flash, ours and what a user would take
 * today, with the same memory on the same drive.
 *
 * <p>Sets are driven as {@code FlashContender}s of the cascade filter's benchmark, and by its
 * loops. The buffered Bloom filter answers later than it is asked, and has loops of its own. Maps
 * are {@link io.winnow.bench.flash.Store Store}s. BerkeleyDB JE and RocksDB are on the class path
 * of this command alone: {@code jmh-bench/target/peers.classpath}, beside the benchmarks' jar.
 */
package io.winnow.bench.flash;

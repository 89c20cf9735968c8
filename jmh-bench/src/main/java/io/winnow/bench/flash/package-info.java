/**
 * The command {@code ./winnow flash bench}: Winnow's sets and maps on flash beside RocksDB and
 * BerkeleyDB, with the same memory on the same drive.
 *
 * <p>Sets are {@code FlashContender}s of the cascade filter's benchmark; maps are {@link
 * io.winnow.bench.flash.Store Store}s. BerkeleyDB JE and RocksDB are on the class path of this
 * command alone.
 */
package io.winnow.bench.flash;

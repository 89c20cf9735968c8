/**
 * The commands {@code ./winnow cascade bench} and {@code ./winnow flash bench}: sets and maps on
 * flash side by side, on one drive, with the same memory.
 *
 * <p>A command ({@link io.winnow.bench.drive.DriveCommand}) runs its cases one after the other.
 * BerkeleyDB JE and RocksDB are on the class path of {@code flash bench} alone.
 */
package io.winnow.bench.drive;

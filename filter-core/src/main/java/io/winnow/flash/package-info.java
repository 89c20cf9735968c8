/**
 * Flash: pages on a drive, and filters made of them.
 *
 * <pre>
 *   PageFrames --frame: aligned memory--> PageStore.read / write / append --page n--> one file
 *                                              |
 *                      FilePageStore (direct I/O where there is any), MemoryPageStore
 * </pre>
 *
 * <p>A {@link io.winnow.flash.PageStore} is an array of pages that grows at its end. Each page
 * begins with a checksum over its number and its payload, which is put there by the write and
 * checked by the read: bytes that changed, and pages that ended up in another's place, are a {@link
 * io.winnow.flash.DamagedPageException} that names file and page. What a filter answers then is
 * "present": it cannot know better, and a lost key is worse than a needless look.
 *
 * <p>Direct I/O leaves the page cache out: a read is a read of the drive, the memory that a filter
 * is given is all that it has, and a merge of gigabytes does not push out what an engine has
 * cached. It wants positions, lengths and memory addresses to be multiples of the file system's
 * block; {@link io.winnow.flash.PageFrames} has such memory, from Netty's pooled allocator.
 *
 * <p>{@link io.winnow.flash.FlashBloomFilter} and {@link io.winnow.flash.ElevatorBloomFilter} are
 * Bloom filters on such pages, to compare with: the first changes each bit's page at once, the
 * second lets bits wait in memory and then writes many in one sweep. Both do a random write per few
 * bits, which is what {@code io.winnow.cascade} is there to avoid.
 *
 * <p>All that touches files goes through {@link io.winnow.flash.FileAccess}, the seam at which
 * tests cut in with short writes, failed fsyncs, full drives and flipped bits.
 */
package io.winnow.flash;

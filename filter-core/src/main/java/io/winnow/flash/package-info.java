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
 * <p>The classic Bloom filter is one array of bits, of which each key sets {@code k}. {@link
 * io.winnow.flash.BloomSizing} says how many bits and positions, {@link
 * io.winnow.flash.BloomPositions} where a key's positions are, whoever holds the bits:
 *
 * <pre>
 *   bits  0 0 1 0 0 0 1 1 0 0 1 0 0 1 0 0
 *             ^       ^ ^     ^     ^
 *   key a     |       +-|-----+     |      k = 3: all three are set, so maybe present
 *   key b     +---------+-----------+
 *   key c   ^                              the first one is not set: certainly absent
 * </pre>
 *
 * <p>{@link io.winnow.flash.BloomFilter} holds the bits in memory. {@link
 * io.winnow.flash.FlashBloomFilter} and {@link io.winnow.flash.ElevatorBloomFilter} hold them on
 * pages: the first changes each bit's page at once, the second lets bits wait in memory and then
 * writes many in one sweep. Both do a random write per few bits, which is what {@code
 * io.winnow.cascade} is there to avoid. These are here to compare with.
 *
 * <p>{@link io.winnow.flash.BufferedBloomFilter} has all bits of a key in one page, and lets keys
 * and probes wait until there are many for the same group of pages:
 *
 * <pre>
 *   insert --KeyInserts--> BufferBlock of the group &lt;--DeferredProbes-- probe
 *                               | full, or ProbeTimer says that it is time
 *                               v
 *   ProbeListener, &lt;--AnswerQueue-- BlockSweeps, GroupPages --> PageStore
 *   futures
 * </pre>
 *
 * <p>{@link io.winnow.flash.BufferedBloomSizing} says where a key belongs, and the head of its
 * file, which Wholeness writes, whether a key may be missing. {@link io.winnow.flash.bufferhash}
 * has a map instead of a set. {@code docs/flash.md} says when to take which.
 *
 * <p>All that touches files goes through {@link io.winnow.flash.FileAccess}, the seam at which
 * tests cut in with short writes, failed fsyncs, full drives and flipped bits.
 */
package io.winnow.flash;

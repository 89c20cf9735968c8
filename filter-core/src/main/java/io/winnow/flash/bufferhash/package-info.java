/**
 * BufferHash: a hash table on flash that takes inserts at the speed of memory.
 *
 * <p>A random write to flash is dear, so there are none. Keys are divided among super tables by the
 * first bits of their hash. Each super table collects its keys in a small hash table in memory, its
 * buffer. A full buffer is written to flash in one piece and is then called an incarnation; it
 * never changes again. The super table's part of the drive is a ring of slots: the next incarnation
 * takes the place of the oldest one.
 *
 * <pre>
 *                      super table 0                  super table 1        ...
 *   memory   put --> [ buffer ]                     [ buffer ]
 *                        | full: one sequential write
 *                        v
 *   flash            [ newest ][ older ][ oldest ]  [ ... ][ ... ][ ... ]
 *                        ^ a ring: the next one overwrites the oldest
 *   memory           a filter for each of them: which of these may have the key?
 * </pre>
 *
 * <p>A lookup asks the buffer, then the incarnations from the newest to the oldest, and reads only
 * those whose filter says "maybe": one page each, as each incarnation is sorted by hash and the
 * first hash of each page is in memory. So an update is an insert of the new value, and a delete is
 * an insert of a mark: whatever is newer is met first.
 *
 * <p>{@link io.winnow.flash.bufferhash.BufferHash} is the door, {@link
 * io.winnow.flash.bufferhash.BufferHashOptions} says how to open it, and {@link
 * io.winnow.flash.bufferhash.BufferHashLayout} shows what came of it. The bytes are described in
 * {@code docs/format/bufferhash-v2.md}.
 *
 * <p>Inside:
 *
 * <pre>
 *   put --Writes--> TableLog, SuperTable's WriteBuffer
 *                                     | full: WriteQueue
 *                                     v
 *                   IncarnationWriter: Retention of what is evicted, IncarnationPacker --> TableFile
 *   get --TableLookups--> SuperTable: buffers, IncarnationFilters --candidates--> PageReader
 *   open: LogRecovery and Recovery find what is there
 * </pre>
 *
 * <p>Anand, Muthukrishnan, Kappes, Akella and Nath, "Cheap and Large CAMs for High Performance
 * Data-Intensive Networked Systems", NSDI 2010.
 */
package io.winnow.flash.bufferhash;

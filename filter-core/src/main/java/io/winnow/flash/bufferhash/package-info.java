/**
 * BufferHash: a hash table on flash that takes inserts at the speed of memory.
 *
 * <pre>
 *                      super table 0                  super table 1        ...
 *   memory   put --> [ buffer ]                     [ buffer ]
 *                        | full: one sequential write, an incarnation
 *                        v
 *   flash            [ newest ][ older ][ oldest ]  [ ... ][ ... ][ ... ]
 *                        ^ a ring: the next one overwrites the oldest
 *   memory           a filter for each of them: which of these may have the key?
 * </pre>
 *
 * <p>A lookup searches the buffer, then the incarnations from the newest to the oldest, and reads
 * one page of each whose filter says "maybe". {@link io.winnow.flash.bufferhash.BufferHash} is the
 * entry point, and {@link io.winnow.flash.bufferhash.BufferHashOptions} says how to open it. The
 * format is {@code docs/format/bufferhash-v2.md}.
 *
 * <p>Anand, Muthukrishnan, Kappes, Akella and Nath, "Cheap and Large CAMs for High Performance
 * Data-Intensive Networked Systems", NSDI 2010.
 */
package io.winnow.flash.bufferhash;

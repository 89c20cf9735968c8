/**
 * De-duplicating writes: a client of HBase that writes rows which are certainly new at once, and
 * queries HBase for the others only.
 *
 * <pre>
 *   rows -> who else writes them? -> filter: seen?
 *              Claims                   |
 *                     certainly new     |     maybe
 *                  +--------------------+--------------------+
 *                  v                                         v
 *            insert, sync                             query: is it there?
 *                  v                                         | no
 *              blind Put                                     v
 *                                              insert, sync, checkAndMutate
 * </pre>
 *
 * <p>{@link io.winnow.hbase.dedup.Deduplicator} is the class to begin with. The order is the
 * guarantee: a row is in the filter, safe from a crash, before it is sent. The package is for
 * clients: it is not in {@code winnow-hbase.jar}, and uses nothing of HBase's server. {@code
 * docs/dedup.md} is its guide.
 */
package io.winnow.hbase.dedup;

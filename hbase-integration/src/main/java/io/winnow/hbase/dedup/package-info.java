/**
 * Ingest without repeats: a client of HBase that writes rows which are certainly new at once, and
 * asks HBase about the others only.
 *
 * <p>{@link io.winnow.hbase.dedup.Deduplicator} is the door. It keeps the rows of one table in a
 * {@link io.winnow.cascade.CascadeFilter}, in a directory on the client's drive:
 *
 * <pre>
 *   rows -> who else writes them? -> filter: seen?
 *              Claims                   |
 *                     certainly new     |     maybe
 *                  +--------------------+--------------------+
 *                  v                                         v
 *            insert, sync                              ask: is it there?
 *                  v                                         | no
 *              blind Put                                     v
 *                                              insert, sync, checkAndMutate
 * </pre>
 *
 * <p>The order is the guarantee: a row is in the filter, safe from a crash, before it is sent. So
 * whatever crashes, a row that is in HBase is never taken for new. A row that the filter saw and
 * HBase has not is asked about, no more.
 *
 * <p>A library for clients: in the module's own jar, and not in {@code winnow-hbase.jar}, which
 * servers have. It uses HBase's client and nothing of its server. {@code docs/dedup.md} is its
 * guide.
 */
package io.winnow.hbase.dedup;

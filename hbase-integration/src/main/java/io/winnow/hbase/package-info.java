/**
 * The swap: Winnow's filters in the place of the Bloom filters of a stock HBase.
 *
 * <pre>
 *   BloomFilterFactory (woven by {@code agent})
 *        |
 *        v
 *   {@code hooks}: did the family ask? {@code settings}
 *        |                  |
 *      {@code write}              {@code read}
 *        |                  |
 *        +---- {@code format}: the meta block and the chunk index ----+   docs/format/hfile-meta-v2.md
 * </pre>
 *
 * <p>A probe in doubt answers {@code true}, and nothing but {@link
 * java.lang.IllegalArgumentException} (at open) leaves the read path: HBase then serves the file
 * without its filter. On the write side whatever goes wrong ends in a stock filter or none: a flush
 * always goes through. This package itself has what all the others use. {@code
 * docs/design/architecture.md} has all packages, and who may know whom.
 */
package io.winnow.hbase;

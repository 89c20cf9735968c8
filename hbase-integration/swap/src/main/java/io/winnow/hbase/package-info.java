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
 * <p>This package itself has what all the others use. A probe in doubt answers {@code true}. A read
 * path that fails serves the file without its filter, and a write path that fails writes a stock
 * filter or none. {@code docs/design/architecture.md} has all packages.
 */
package io.winnow.hbase;

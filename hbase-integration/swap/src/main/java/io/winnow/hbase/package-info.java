/**
 * The swap, which puts Winnow's filters in the place of the Bloom filters of a stock HBase.
 *
 * <pre>
 *   BloomFilterFactory (woven by {@code agent})
 *        |
 *        v
 *   {@code hooks}: does the family want a filter? {@code settings}
 *        |                  |
 *      {@code write}              {@code read}
 *        |                  |
 *        +---- {@code format}: the meta block and the chunk index ----+   docs/format/hfile-meta-v2.md
 * </pre>
 *
 * <p>This package itself has the classes that all others use. A probe in doubt answers {@code
 * true}. If the read path fails, HBase serves the file without its filter. If the write path fails,
 * the file gets a stock filter or none. {@code docs/design/architecture.md} has all packages.
 */
package io.winnow.hbase;

/**
 * The buffered Bloom filter: keys and probes wait in memory until there are many for the same group
 * of pages.
 *
 * <pre>
 *   insert --> BufferBlock of the group &lt;-- probe
 *                    | full, or ProbeTimer finds it due
 *                    v
 *   ProbeListener, &lt;--AnswerQueue-- BlockSweeps, GroupPages --> PageStore
 *   futures
 * </pre>
 *
 * <p>The head of its file, which Wholeness writes, says whether a key may be missing. {@code
 * docs/flash.md} says when to use this filter.
 */
package io.winnow.flash.buffered;

/**
 * The cascade filter: a set that is larger than memory, on flash.
 *
 * <pre>
 *   insert --> MemoryLevel, active            partitions; full: it is frozen, another one begins
 *              MemoryLevel, frozen  --+
 *              rank 1  [==]         --+--> merged into a new rank 1, while both still answer
 *              rank 2  [==========]
 *              rank 3  [===========================================]
 *                           one page read per level, newest level first  &lt;-- mightContain
 * </pre>
 *
 * <p>{@link io.winnow.cascade.CascadeFilter} is the door; {@link io.winnow.cascade.CascadeReader}
 * reads its directory without a lock. Levels are sorted sequences of fingerprints, and whatever
 * happens to them is a merge in another thread. Readers hold an immutable {@link
 * io.winnow.cascade.View}, so no merge makes them wait. The format is {@code
 * docs/format/cascade-v2.md}; why it is so, {@code docs/design/cascade.md}.
 */
package io.winnow.cascade;

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
 * <p>All levels are sorted sequences of fingerprints of one width, coded as quotients and
 * remainders ({@link io.winnow.cascade.SlotCoding}), and all that happens to them is a merge of
 * such sequences. Each rank may be a few times larger than the one before it. A rank that is full
 * is merged into the next one: streamed, sequential, in other threads ({@link
 * io.winnow.cascade.MergeScheduler}), one chunk at a time ({@link io.winnow.cascade.Chunks}), while
 * the levels that go in answer until the {@link io.winnow.cascade.Manifest} names the one that
 * comes out.
 *
 * <p>Readers hold a {@link io.winnow.cascade.View}, which is immutable; nothing that merges do can
 * make them wait. Writers take turns.
 *
 * <p>{@link io.winnow.cascade.CascadeFilter} is what others see of it; {@link
 * io.winnow.cascade.CascadeReader} reads its directory without a lock, {@link
 * io.winnow.cascade.CascadeUnion} merges several into one, and {@link
 * io.winnow.cascade.CascadeWindow} is a row of filters of which the oldest is dropped. Behind it,
 * {@link io.winnow.cascade.Inserts} takes operations in, {@link io.winnow.cascade.Levels} knows
 * which levels there are, {@link io.winnow.cascade.MergePolicy} says which of them are merged,
 * {@link io.winnow.cascade.Merges} has that done, {@link io.winnow.cascade.Pacing} lets inserts
 * wait for it, and {@link io.winnow.cascade.Catalog} switches the manifest.
 *
 * <p>The format of the directory is {@code docs/format/cascade-v2.md}; why it is as it is, {@code
 * docs/design/cascade.md}.
 */
package io.winnow.cascade;

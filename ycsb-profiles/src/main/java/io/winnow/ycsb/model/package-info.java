/**
 * The cost model: the space that filters of a kind take on a fleet's disks and in its block caches,
 * and their effect on reads. {@code ./winnow model} prints it; {@code docs/cost-model.md} explains
 * the formulas.
 *
 * <pre>
 *   rows, files ──► FilterSize ──► bytes, chunks, rate ─┐
 *   reads ────────► ReadPattern ─► popular rows ────────┴► ReadModel ─► blocks, read how often
 *                                                              │
 *                                        BlockCacheModel ◄─────┘
 *                                               │
 *                              hit ratios, blocks read per row ──► Costs ──► time per row
 * </pre>
 *
 * <p>{@code ModelFilters} and {@code StoreModel} compute the size and the unnecessary file reads of
 * the filters of one store, with one rate for all files and with rates by store.
 *
 * <p>All of it is arithmetic on immutable values; only {@link io.winnow.ycsb.model.Model} prints.
 */
package io.winnow.ycsb.model;

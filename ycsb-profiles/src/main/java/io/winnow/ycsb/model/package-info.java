/**
 * The cost model: the space that filters of a kind take on a fleet's disks and in its block caches,
 * and their effect on reads. {@code ./winnow model} prints it; {@code docs/design/cost-model.md}
 * explains the formulas.
 *
 * <pre>
 *   rows, files ──► FilterFigures ──► bytes, rate ─┐
 *   reads ────────► ReadPattern ─► popular rows ──┴► Fleet ─► blocks, read how often
 *                                                      │
 *                                   BlockCacheModel ◄──┘
 *                                          │
 *                         hit ratios, blocks read per row ──► Fleet ──► time per row
 * </pre>
 *
 * <p>{@code StoreModel} compares the filters of one store, with one rate for all files and with
 * rates by store.
 *
 * <p>All of it is arithmetic on the options of {@link io.winnow.ycsb.model.Model}, which alone
 * prints.
 */
package io.winnow.ycsb.model;

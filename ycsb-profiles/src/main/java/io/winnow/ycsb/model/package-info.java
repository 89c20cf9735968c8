/**
 * The cost model: what filters of a kind take of a fleet's disks and block caches, and what that
 * does to its reads. {@code ./winnow model}; the formulas are explained in {@code
 * docs/cost-model.md}.
 *
 * <pre>
 *   rows, files ──► FilterSize ──► bytes, chunks, rate ─┐
 *   reads ────────► ReadPattern ─► who is popular ──────┴► ReadModel ─► blocks, asked how often
 *                                                              │
 *                                        BlockCacheModel ◄─────┘
 *                                               │
 *                              hit ratios, blocks read per row ──► Costs ──► time per row
 * </pre>
 *
 * {@code ModelFilters} and {@code StoreModel} tell what the files of one store take and let
 * through, with one rate for all of them and with rates by store.
 *
 * <p>All of it is arithmetic on immutable values; {@link io.winnow.ycsb.model.Model} alone prints.
 */
package io.winnow.ycsb.model;

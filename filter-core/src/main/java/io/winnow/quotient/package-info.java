/**
 * Quotient filters: a set as a sorted hash table of fingerprints, with next to no pointers.
 *
 * <p>{@link io.winnow.quotient.QuotientFilter} changes while it is in use, {@link
 * io.winnow.quotient.QuotientSizing} makes a filter for a file, and {@link
 * io.winnow.quotient.QuotientLayout} probes that in its bytes. How it works, and what we chose:
 * {@code docs/design/quotient.md}.
 *
 * <p>Bender, Farach-Colton, Johnson, Kuszmaul, Medjedovic, Montes, Shetty, Spillane and Zadok,
 * "Don't Thrash: How to Cache Your Hash on Flash", HotStorage 2011; Pandey, Bender, Johnson and
 * Patro, "A General-Purpose Counting Filter: Making Every Bit Count", SIGMOD 2017.
 */
package io.winnow.quotient;

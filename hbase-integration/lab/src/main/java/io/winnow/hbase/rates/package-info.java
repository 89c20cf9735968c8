/**
 * The commands {@code ./winnow rates}, {@code ./winnow scans} and {@code ./winnow cache}: the cost
 * of Gets of a store under ingest, the cost of scans of prefixes, and the reads of Gets with a
 * small block cache, in a region of HBase's own classes, with filters of different settings. In
 * {@code winnow-lab.jar}.
 */
package io.winnow.hbase.rates;

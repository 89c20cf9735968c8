/**
 * The commands {@code ./winnow rates} and {@code ./winnow scans}: the cost of Gets of a store under
 * ingest, and the cost of scans of prefixes, in a region of HBase's own classes, with filters of
 * different settings. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.rates;

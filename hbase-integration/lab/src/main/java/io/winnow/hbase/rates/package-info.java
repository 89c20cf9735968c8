/**
 * {@code ./winnow rates} and {@code ./winnow scans}: what the Gets of a store pay under ingest, and
 * what its scans of prefixes pay, in a region of HBase's own classes, with filters of different
 * settings. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.rates;

/**
 * {@code ./winnow rates}: what the Gets of a store pay under ingest, in a region of HBase's own
 * classes, with filters of different settings. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.rates;

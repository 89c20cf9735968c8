/**
 * The command {@code ./winnow ycsb}: tables with different filters on real servers, compared in
 * turns by YCSB, with Winnow's own binding and workload, which check what they read.
 */
package io.winnow.ycsb;

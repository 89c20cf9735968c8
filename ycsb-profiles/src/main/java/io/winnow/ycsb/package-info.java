/**
 * {@code ./winnow ycsb}: tables with different filters on real servers, compared in turns by YCSB,
 * with a binding and a workload of our own that check what they read.
 */
package io.winnow.ycsb;

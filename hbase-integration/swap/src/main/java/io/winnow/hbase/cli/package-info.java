/**
 * What command lines of operators' tools and of {@code ./winnow} share: programs and their options,
 * tables, progress, a quiet end, and what is said of files.
 */
package io.winnow.hbase.cli;

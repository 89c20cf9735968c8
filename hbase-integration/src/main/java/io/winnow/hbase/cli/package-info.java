/**
 * What command lines of operators' tools and of {@code ./winnow} share: arguments, tables,
 * progress, a quiet end, and what is said of files.
 */
package io.winnow.hbase.cli;

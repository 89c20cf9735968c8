/**
 * Parts that the command lines of the operator's tools and of {@code ./winnow} share: programs with
 * their options, tables, progress, threads, silence during shutdown, and messages about files.
 */
package io.winnow.hbase.cli;

/** What command lines of operators' tools and of {@code ./winnow} share. */
package io.winnow.hbase.cli;

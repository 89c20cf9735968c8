/** What the commands of {@code ./winnow} share. */
package io.winnow.hbase.command;

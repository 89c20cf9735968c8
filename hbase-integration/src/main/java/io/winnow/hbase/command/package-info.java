/** What the commands of {@code ./winnow} share. In {@code winnow-lab.jar}. */
package io.winnow.hbase.command;

/** What the commands of {@code ./winnow} alone share. In {@code winnow-lab.jar}. */
package io.winnow.hbase.command;

/**
 * Commands of {@code ./winnow} that look into files, and the texts that all of its commands print
 * for {@code --help}. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.command;

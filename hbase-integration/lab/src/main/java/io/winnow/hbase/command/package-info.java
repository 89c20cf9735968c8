/**
 * Commands of {@code ./winnow} that look into files, and the help texts of all of its commands. In
 * {@code winnow-lab.jar}.
 */
package io.winnow.hbase.command;

/**
 * The operator's tools: what a table would save, what its files have, and the way back. {@link
 * io.winnow.hbase.tools.Winnow} is what is called.
 */
package io.winnow.hbase.tools;

/**
 * The operator's tools: they report what a table would save and which filters its files have,
 * convert files, and plan the way there and back. {@link io.winnow.hbase.tools.Winnow} is the entry
 * point.
 */
package io.winnow.hbase.tools;

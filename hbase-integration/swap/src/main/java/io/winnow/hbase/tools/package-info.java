/**
 * The operator's tools, which report what Winnow would save and which filters files have, convert
 * files, and plan roll-out and roll-back. {@link io.winnow.hbase.tools.Winnow} is the entry point.
 */
package io.winnow.hbase.tools;

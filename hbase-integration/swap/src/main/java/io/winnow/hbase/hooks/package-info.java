/**
 * What the woven classes of HBase call. Nothing is thrown into HBase but what it takes for a filter
 * that it must do without; the agent names these classes and their methods by text.
 */
package io.winnow.hbase.hooks;

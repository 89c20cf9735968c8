/**
 * The Java agent: checks at start that HBase has the three methods the swap needs, and puts a short
 * prologue in front of each when their class is loaded. The tools of bulk load, where they are
 * used, get one statement each, so that they know the families' settings.
 */
package io.winnow.hbase.agent;

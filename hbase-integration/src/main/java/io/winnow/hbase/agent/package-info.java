/**
 * The Java agent: checks at start that HBase has the three methods the swap needs, and puts a short
 * prologue in front of each when their class is loaded.
 */
package io.winnow.hbase.agent;

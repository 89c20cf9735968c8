/** A stock HBase in a JVM of its own, for trying things and for integration tests. */
package io.winnow.hbase.standalone;

/**
 * A stock HBase in a JVM of its own, for trials and for integration tests. In {@code
 * winnow-lab.jar}.
 */
package io.winnow.hbase.standalone;

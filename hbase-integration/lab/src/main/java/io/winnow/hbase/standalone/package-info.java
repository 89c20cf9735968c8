/**
 * HBase in JVMs of its own on this machine, for trials and for integration tests: a standalone
 * server, or a small cluster. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.standalone;

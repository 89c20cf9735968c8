/**
 * Row keys, and readers of single store files that use HBase's own classes. In {@code
 * winnow-lab.jar}.
 */
package io.winnow.hbase.storefile;

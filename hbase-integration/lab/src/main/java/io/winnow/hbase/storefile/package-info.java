/**
 * Row keys, and lists, readers and writers of store files that use HBase's own classes. In {@code
 * winnow-lab.jar}.
 */
package io.winnow.hbase.storefile;

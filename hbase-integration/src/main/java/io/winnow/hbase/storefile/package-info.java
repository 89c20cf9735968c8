/** A look at single store files, with HBase's own classes. */
package io.winnow.hbase.storefile;

/** A look at single store files, with HBase's own classes. In {@code winnow-lab.jar}. */
package io.winnow.hbase.storefile;

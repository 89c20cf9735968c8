/**
 * The command {@code ./winnow quickstart}: the same rows under each kind of filter, measured side
 * by side. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.quickstart;

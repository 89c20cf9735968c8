/** {@code ./winnow quickstart}: the same rows under each kind of filter, measured side by side. */
package io.winnow.hbase.quickstart;

/** YCSB on HBase: the binding, a workload that checks what it reads, and the rows of both. */
package io.winnow.ycsb;

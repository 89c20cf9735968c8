/**
 * The command {@code ./winnow dedup bench}: the de-duplicator beside checkAndMutate and
 * Get-then-Put, on a real HBase that it starts. In {@code winnow-lab.jar}.
 */
package io.winnow.hbase.dedup.bench;

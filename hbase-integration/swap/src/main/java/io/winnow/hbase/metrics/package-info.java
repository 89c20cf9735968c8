/** The metrics of the swap, and their publication by JMX: {@code docs/metrics.md}. */
package io.winnow.hbase.metrics;

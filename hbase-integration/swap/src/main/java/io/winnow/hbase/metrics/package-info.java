/** What the swap counts, and how a server tells it: {@code docs/metrics.md}. */
package io.winnow.hbase.metrics;

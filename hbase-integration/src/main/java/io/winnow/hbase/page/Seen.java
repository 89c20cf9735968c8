package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import org.apache.hadoop.conf.Configuration;

/**
 * What a page is made from.
 *
 * @param server its name
 * @param site its configuration
 */
record Seen(String server, Configuration site, ServerView view, FalseReads falseReads) {}

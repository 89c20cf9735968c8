package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import org.apache.hadoop.conf.Configuration;

/** State of a region server from which the page {@code /winnow} is made. */
final class PageInput {
  /** Name of the region server. */
  final String server;

  /** Configuration of the region server. */
  final Configuration site;

  final ServerView view;
  final RecentCounts recent;

  PageInput(String server, Configuration site, ServerView view, RecentCounts recent) {
    this.server = server;
    this.site = site;
    this.view = view;
    this.recent = recent;
  }
}

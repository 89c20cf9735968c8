package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import org.apache.hadoop.conf.Configuration;

/** Data that a page is made from. */
final class PageInput {
  /** Name of the server. */
  final String server;

  /** Configuration of the server. */
  final Configuration site;

  final ServerView view;
  final FalseReads falseReads;

  PageInput(String server, Configuration site, ServerView view, FalseReads falseReads) {
    this.server = server;
    this.site = site;
    this.view = view;
    this.falseReads = falseReads;
  }
}

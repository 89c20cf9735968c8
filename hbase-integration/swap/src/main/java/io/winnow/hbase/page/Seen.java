package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import org.apache.hadoop.conf.Configuration;

/** What a page is made from. */
final class Seen {
  private final String server;
  private final Configuration site;
  private final ServerView view;
  private final FalseReads falseReads;

  Seen(String server, Configuration site, ServerView view, FalseReads falseReads) {
    this.server = server;
    this.site = site;
    this.view = view;
    this.falseReads = falseReads;
  }

  /** Its name. */
  String server() {
    return server;
  }

  /** Its configuration. */
  Configuration site() {
    return site;
  }

  ServerView view() {
    return view;
  }

  FalseReads falseReads() {
    return falseReads;
  }
}

package io.winnow.ycsb;

import java.util.Map;

/** How the files of a store get their filters' error rates: what {@code --stores} compares. */
enum StorePolicy implements TableContender {
  /** HBase's Bloom filters, one rate for all files. */
  STOCK("stock", Map.of()),

  /** Bumped Ribbon, one rate for all files. */
  FILE("file", Map.of("winnow.filter", "bumped-ribbon", "winnow.error.rate.scope", "file")),

  /** Bumped Ribbon, a file's rate by its share of the store's keys. */
  STORE("store", Map.of("winnow.filter", "bumped-ribbon", "winnow.error.rate.scope", "store"));

  private final String id;
  private final Map<String, String> configuration;

  StorePolicy(String id, Map<String, String> configuration) {
    this.id = id;
    this.configuration = configuration;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public Map<String, String> configuration() {
    return configuration;
  }
}

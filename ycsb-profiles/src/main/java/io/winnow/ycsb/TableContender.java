package io.winnow.ycsb;

import java.util.Map;

/** One of the tables that are compared: what its one family is told, and the others are not. */
interface TableContender {
  /** The name in every report. */
  String id();

  /** The family's CONFIGURATION. */
  Map<String, String> configuration();
}

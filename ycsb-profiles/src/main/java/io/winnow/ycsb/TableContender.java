package io.winnow.ycsb;

import java.util.Map;

/** One of the tables that are compared, with the settings that only its family has. */
interface TableContender {
  /** Returns the contender's name in every report. */
  String id();

  /** Returns the family's CONFIGURATION. */
  Map<String, String> configuration();
}

package io.winnow.ycsb;

import java.util.Map;

/** One of the compared tables, with the filter settings that only its family has. */
interface TableContender {
  /** Returns the name of the table's filter settings in every report. */
  String id();

  /** Returns the CONFIGURATION of the table's family, which has its filter settings. */
  Map<String, String> configuration();
}

package io.winnow.ycsb;

import io.winnow.hbase.contest.Contender;
import java.util.Map;

/** One of the compared tables, with the filter settings that only its family has. */
interface TableContender extends Contender {
  /** Returns the CONFIGURATION of the table's family, which has its filter settings. */
  Map<String, String> configuration();
}

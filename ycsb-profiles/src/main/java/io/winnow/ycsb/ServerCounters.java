package io.winnow.ycsb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Counters of region servers since their start, summed up over all servers: HBase's own for the
 * block cache, by kind of block, and for filters; and those of Winnow's agent. See {@link #since}.
 *
 * @param filterRequests queries of a store file's filter
 * @param filterNegatives queries that were answered <i>absent</i>, so that the file was skipped
 * @param falseReads unnecessary file reads: the filter answered <i>maybe</i>, and the row was
 *     absent; 0 if the agent does not count them
 * @param cpuNanos CPU time of the servers' processes
 */
record ServerCounters(
    long dataHits,
    long dataMisses,
    long filterHits,
    long filterMisses,
    long indexHits,
    long indexMisses,
    long filterRequests,
    long filterNegatives,
    long falseReads,
    long cpuNanos) {

  static final ServerCounters NONE = new ServerCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  static final String SERVER_BEAN = "Hadoop:service=HBase,name=RegionServer,sub=Server";
  static final String WINNOW_BEAN = "Hadoop:service=HBase,name=RegionServer,sub=Winnow";
  static final String PROCESS_BEAN = "java.lang:type=OperatingSystem";

  private static final String FALSE_READS = "falsePositives";
  private static final String CPU = "ProcessCpuTime";

  /** Names of the attributes that are read from HBase's management bean of a region server. */
  static final List<String> SERVER_ATTRIBUTES =
      List.of(
          "blockCacheDataHitCount",
          "blockCacheDataMissCount",
          "blockCacheBloomChunkHitCount",
          "blockCacheBloomChunkMissCount",
          "blockCacheLeafIndexHitCount",
          "blockCacheIntermediateIndexHitCount",
          "blockCacheLeafIndexMissCount",
          "blockCacheIntermediateIndexMissCount",
          "bloomFilterRequestsCount",
          "bloomFilterNegativeResultsCount");

  /** Names of the attributes that are read from Winnow's management bean of a region server. */
  static final List<String> WINNOW_ATTRIBUTES = List.of(FALSE_READS);

  /**
   * Names of the attributes that are read from the management bean of a region server's process.
   */
  static final List<String> PROCESS_ATTRIBUTES = List.of(CPU);

  /** Makes the counters of one region server from the attributes of its management beans. */
  static ServerCounters of(
      Map<String, Long> server, Map<String, Long> winnow, Map<String, Long> process) {
    List<Long> values = new ArrayList<>();
    for (String attribute : SERVER_ATTRIBUTES) {
      Long value = server.get(attribute);
      if (value == null) {
        throw new IllegalStateException("this HBase does not count " + attribute);
      }
      values.add(value);
    }
    return new ServerCounters(
        values.get(0),
        values.get(1),
        values.get(2),
        values.get(3),
        values.get(4) + values.get(5),
        values.get(6) + values.get(7),
        values.get(8),
        values.get(9),
        winnow.getOrDefault(FALSE_READS, 0L),
        process.getOrDefault(CPU, 0L));
  }

  ServerCounters plus(ServerCounters other) {
    return combine(other, 1);
  }

  /** Returns the increase of the servers' counters since an earlier reading. */
  ServerCounters since(ServerCounters before) {
    return combine(before, -1);
  }

  private ServerCounters combine(ServerCounters other, int sign) {
    return new ServerCounters(
        dataHits + sign * other.dataHits,
        dataMisses + sign * other.dataMisses,
        filterHits + sign * other.filterHits,
        filterMisses + sign * other.filterMisses,
        indexHits + sign * other.indexHits,
        indexMisses + sign * other.indexMisses,
        filterRequests + sign * other.filterRequests,
        filterNegatives + sign * other.filterNegatives,
        falseReads + sign * other.falseReads,
        cpuNanos + sign * other.cpuNanos);
  }

  /**
   * Returns whether the servers did nothing between two readings of their counters. CPU time is not
   * compared, because it rises in any case.
   */
  boolean agreesWith(ServerCounters other) {
    return atRest().equals(other.atRest());
  }

  private ServerCounters atRest() {
    return new ServerCounters(
        dataHits,
        dataMisses,
        filterHits,
        filterMisses,
        indexHits,
        indexMisses,
        filterRequests,
        filterNegatives,
        falseReads,
        0);
  }

  /** Returns the share of all look-ups in the block cache that found their block there. */
  double hitRatio() {
    return ratio(dataHits + filterHits + indexHits, dataMisses + filterMisses + indexMisses);
  }

  double dataHitRatio() {
    return ratio(dataHits, dataMisses);
  }

  double filterHitRatio() {
    return ratio(filterHits, filterMisses);
  }

  /**
   * Returns the number of blocks that were not in the block cache and were read from the file
   * system.
   */
  long blocksRead() {
    return dataMisses + filterMisses + indexMisses;
  }

  private static double ratio(long hits, long misses) {
    return hits + misses == 0 ? Double.NaN : (double) hits / (hits + misses);
  }
}

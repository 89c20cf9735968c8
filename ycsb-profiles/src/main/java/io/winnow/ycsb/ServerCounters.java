package io.winnow.ycsb;

import io.winnow.hbase.standalone.CountedFiles;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Counters of region servers since their start, summed up over all servers: HBase's own for the
 * block cache, by kind of block, and for filters; and those of Winnow's agent. See {@link #since}.
 *
 * @param counts the counters by the names of their attributes in the management beans
 * @param cpuNanos CPU time of the servers' processes
 */
record ServerCounters(Map<String, Long> counts, long cpuNanos) {
  static final ServerCounters NONE = new ServerCounters(Map.of(), 0);

  private static final String DATA = "Data";
  private static final String FILTER = "BloomChunk";
  private static final String[] ALL_BLOCKS = {DATA, FILTER, "LeafIndex", "IntermediateIndex"};

  private static final String REQUESTS = "bloomFilterRequestsCount";
  private static final String NEGATIVES = "bloomFilterNegativeResultsCount";
  private static final String FALSE_READS = "falsePositives";
  private static final String FILE_READS = "Reads";
  private static final String FILE_BYTES = "Bytes";

  /** Names of the attributes of HBase's management bean of a region server. */
  static final List<String> SERVER_ATTRIBUTES =
      Stream.concat(
              Stream.of(ALL_BLOCKS).flatMap(kind -> Stream.of(hits(kind), misses(kind))),
              Stream.of(REQUESTS, NEGATIVES))
          .toList();

  private static String hits(String blocks) {
    return "blockCache" + blocks + "HitCount";
  }

  private static String misses(String blocks) {
    return "blockCache" + blocks + "MissCount";
  }

  /**
   * Makes the counters of one region server.
   *
   * @param server attributes of HBase's management bean
   * @param winnow attributes of Winnow's management bean; empty without the agent
   * @param files attributes of the bean of {@link CountedFiles}; empty with other files
   */
  static ServerCounters of(
      Map<String, Long> server, Map<String, Long> winnow, Map<String, Long> files, long cpuNanos) {
    Map<String, Long> counts = new TreeMap<>();
    for (String attribute : SERVER_ATTRIBUTES) {
      Long value = server.get(attribute);
      if (value == null) {
        throw new IllegalStateException("this HBase does not count " + attribute);
      }
      counts.put(attribute, value);
    }
    counts.put(FALSE_READS, winnow.getOrDefault(FALSE_READS, 0L));
    counts.put(FILE_READS, files.getOrDefault(FILE_READS, 0L));
    counts.put(FILE_BYTES, files.getOrDefault(FILE_BYTES, 0L));
    return new ServerCounters(counts, cpuNanos);
  }

  ServerCounters plus(ServerCounters other) {
    return combine(other, Long::sum);
  }

  /** Returns the increase of the servers' counters since an earlier reading. */
  ServerCounters since(ServerCounters before) {
    return combine(before, (now, then) -> now - then);
  }

  private ServerCounters combine(ServerCounters other, BinaryOperator<Long> operator) {
    Map<String, Long> combined = new TreeMap<>(counts);
    other.counts.forEach((name, value) -> combined.merge(name, value, operator));
    return new ServerCounters(combined, operator.apply(cpuNanos, other.cpuNanos));
  }

  /**
   * Returns whether the servers did nothing between two readings of their counters. CPU time is not
   * compared, because it rises in any case.
   */
  boolean agreesWith(ServerCounters other) {
    return counts.equals(other.counts);
  }

  private long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** Returns the number of queries of a store file's filter. */
  long filterRequests() {
    return count(REQUESTS);
  }

  /** Returns the number of queries that were answered <i>absent</i>, so that a file was skipped. */
  long filterNegatives() {
    return count(NEGATIVES);
  }

  /**
   * Returns the number of unnecessary file reads: the filter answered <i>maybe</i>, and the row was
   * absent. It is 0 if the agent does not count them.
   */
  long falseReads() {
    return count(FALSE_READS);
  }

  /** Returns the number of positional reads of files, if the servers use {@link CountedFiles}. */
  long fileReads() {
    return count(FILE_READS);
  }

  /** Returns the number of bytes that positional reads of files returned, in such servers. */
  long fileBytes() {
    return count(FILE_BYTES);
  }

  long dataMisses() {
    return count(misses(DATA));
  }

  long filterMisses() {
    return count(misses(FILTER));
  }

  /** Returns the share of all look-ups in the block cache that found their block there. */
  double hitRatio() {
    return ratio(ALL_BLOCKS);
  }

  double dataHitRatio() {
    return ratio(DATA);
  }

  double filterHitRatio() {
    return ratio(FILTER);
  }

  /**
   * Returns the number of blocks that were not in the block cache and were read from the file
   * system.
   */
  long blocksRead() {
    return sum(ServerCounters::misses, ALL_BLOCKS);
  }

  private long sum(UnaryOperator<String> counter, String... kinds) {
    return Stream.of(kinds).map(counter).mapToLong(this::count).sum();
  }

  private double ratio(String... kinds) {
    double found = sum(ServerCounters::hits, kinds);
    return found / (found + sum(ServerCounters::misses, kinds));
  }
}

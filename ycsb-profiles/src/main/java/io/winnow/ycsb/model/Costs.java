package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import java.util.Map;

/**
 * The costs of the parts of reading a row, in microseconds or nanoseconds each.
 *
 * @param rowMicros microseconds for a row, present or absent: the client, its share of the RPC, the
 *     scanners
 * @param foundMicros further microseconds for a present row: its cells on their way to the client
 * @param blockMicros microseconds for a block that is looked up, in the cache or not: the look-up,
 *     and the search in the block
 * @param readMicros microseconds for a block that is not in the block cache: to copy it from the
 *     page cache, verify its checksums, unpack it, and evict another
 * @param diskMicros further microseconds to read a block, or part of one, from a disk; the mean
 *     over all blocks that are read
 * @param probeNanos nanoseconds for a probe of the filter of one file, with its chunk in the cache
 */
public record Costs(
    double rowMicros,
    double foundMicros,
    double blockMicros,
    double readMicros,
    double diskMicros,
    Map<TableFilter, Double> probeNanos) {

  /** Returns the time of reading a row in microseconds. */
  double micros(TableFilter kind, ReadModel reads) {
    return rowMicros
        + reads.found() * foundMicros
        + reads.queried() * probeNanos.get(kind) / 1000
        + reads.blocks() * blockMicros
        + reads.blocksRead() * (readMicros + diskMicros);
  }

  /**
   * Returns the time of a probe for each kind of filter in nanoseconds, from measured times for row
   * keys of 10 and 250 bytes.
   */
  public static Map<TableFilter, Double> probes(int keyLength) {
    return Map.of(
        TableFilter.BLOOM, 185 + 1.69 * keyLength,
        TableFilter.RIBBON, 63 + 0.22 * keyLength,
        TableFilter.BUMPED_RIBBON, 65 + 0.21 * keyLength);
  }
}

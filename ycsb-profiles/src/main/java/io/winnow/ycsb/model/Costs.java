package io.winnow.ycsb.model;

import io.winnow.ycsb.TableFilter;
import java.util.Map;

/**
 * What the parts of a read cost.
 *
 * @param rowMicros microseconds for a row that is asked for, whatever comes of it: the client, the
 *     RPC's share, the scanners
 * @param foundMicros for a row that is there, on top: its cells on their way to the client
 * @param blockMicros for a block that is looked up, in the cache or not: the look-up, and the
 *     search in it
 * @param readMicros for a block that is not in the block cache: to copy it from the page cache,
 *     check its sums, unpack it, and drop another
 * @param diskMicros for a block, or part of one, that has to come from a disk on top of that; the
 *     mean over all blocks that are read
 * @param probeNanos for a question to the filter of one file, its chunk in the cache
 */
public record Costs(
    double rowMicros,
    double foundMicros,
    double blockMicros,
    double readMicros,
    double diskMicros,
    Map<TableFilter, Double> probeNanos) {

  /** Of a row. */
  double micros(TableFilter kind, ReadModel reads) {
    return rowMicros
        + reads.found() * foundMicros
        + reads.asked() * probeNanos.get(kind) / 1000
        + reads.blocks() * blockMicros
        + reads.blocksRead() * (readMicros + diskMicros);
  }

  /**
   * What a question costs, by the key's length: straight lines through the figures of the table
   * "Asking the filter of a file" in {@code docs/benchmarks.md} at 10 and 250 bytes.
   */
  public static Map<TableFilter, Double> probes(int keyLength) {
    return Map.of(
        TableFilter.BLOOM, 185 + 1.69 * keyLength,
        TableFilter.RIBBON, 63 + 0.22 * keyLength,
        TableFilter.BUMPED_RIBBON, 65 + 0.21 * keyLength);
  }
}

package io.winnow.hbase.write;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.KeyHash;
import io.winnow.hbase.format.FilePrefixes;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.settings.WinnowSettings;
import java.util.Arrays;
import org.apache.hadoop.hbase.ExtendedCell;

/**
 * The chunk of a filter under construction: its keys, and the prefixes of its rows. It is reused
 * for the next chunk. Not thread-safe.
 */
final class OpenChunk {
  private static final int MIN_PREFIXES = BuildCost.STEP / 16;

  private final KeyKind kind;

  /**
   * Rule for the row prefixes that the filter has as keys beside the rows; null if there are none.
   */
  private final PrefixRule prefixRule;

  /**
   * Builder of the chunk's image, made with the first key: most store files have no delete-family
   * marker.
   */
  private FilterBuilder builder;

  /** First key of the chunk in the form of the chunk index; null if the chunk has no key. */
  private byte[] firstKey;

  private long lastHash;

  /** Last row prefix of the file so far, in memory of its own; null before the first. */
  private byte[] lastPrefix;

  /**
   * Hashes of the chunk's row prefixes, which wait until their number shows that they are not too
   * many.
   */
  private long[] prefixHashes = {};

  private int prefixes;

  /**
   * Creates a chunk under construction that has no keys yet.
   *
   * @param prefixRule the rule for prefixes; null if there are none
   */
  OpenChunk(KeyKind kind, PrefixRule prefixRule) {
    this.kind = kind;
    this.prefixRule = prefixRule;
  }

  /**
   * Records the prefix of a row as the last row prefix, if it differs from that of the row before.
   * Copies it at once: HBase may reuse the memory of a cell.
   *
   * @return true if the row has a new prefix
   */
  boolean takePrefix(ExtendedCell cell) {
    if (prefixRule == null || lastPrefix != null && PrefixRule.isPrefixOf(lastPrefix, cell)) {
      return false;
    }
    byte[] prefix = prefixRule.prefixOf(cell);
    if (prefix == null) {
      return false;
    }
    lastPrefix = prefix;
    return true;
  }

  /**
   * Begins a chunk of the filter, with the key of a cell as its first key.
   *
   * @param hasNewPrefix true if the cell's row has a new prefix
   * @return true if a prefix must be added before the cell's key
   */
  boolean begin(ExtendedCell cell, boolean hasNewPrefix) {
    // The row may be the last one of the chunk before once more. If it is its own prefix too, a
    // probe looks for that prefix in this chunk from now on.
    boolean addsPrefix = hasNewPrefix || lastPrefix != null && isLastPrefix(cell);
    firstKey = addsPrefix ? lastPrefix : kind.indexKey(cell);
    return addsPrefix;
  }

  private boolean isLastPrefix(ExtendedCell cell) {
    return cell.getRowLength() == lastPrefix.length && PrefixRule.isPrefixOf(lastPrefix, cell);
  }

  /**
   * Returns the bytes of memory that room for one more row prefix takes in addition; 0 if there is
   * room.
   */
  long bytesForPrefix() {
    return prefixes == prefixHashes.length ? (long) Long.BYTES * grownPrefixes() : 0;
  }

  private int grownPrefixes() {
    return Math.max(MIN_PREFIXES, 2 * prefixes);
  }

  /** Adds the prefix of the last row to the chunk of the filter, as a key. */
  void addPrefix(KeyHash hash) {
    if (prefixes == prefixHashes.length) {
      prefixHashes = Arrays.copyOf(prefixHashes, grownPrefixes());
    }
    prefixHashes[prefixes++] = PrefixRule.hash(hash, lastPrefix, 0, lastPrefix.length);
  }

  /** Adds a key to the chunk of the filter, given by the key's hash. */
  void add(long hash, WinnowSettings settings) {
    if (builder == null) {
      builder = settings.newBuilder();
    }
    builder.add(hash);
    lastHash = hash;
  }

  /**
   * Adds the row prefixes of the chunk under construction to its keys, unless they are too many.
   *
   * @return the number of prefixes, or {@link FilePrefixes#LEFT_OUT}
   */
  int settlePrefixes() {
    int count = prefixes;
    prefixes = 0;
    if (FilePrefixes.areTooMany(count, builder.pendingCount())) {
      return FilePrefixes.LEFT_OUT;
    }
    builder.add(prefixHashes, 0, count);
    return count;
  }

  /** Builds the filter image of the chunk's keys. */
  FilterImage build(WinnowSettings settings) {
    return builder.finish(settings.sizing);
  }

  /** Empties the chunk, so that it collects the keys of the next one. */
  void reset() {
    firstKey = null;
  }

  /** Drops all memory that the chunk under construction holds for keys. */
  void dropBuffers() {
    builder = null;
    prefixHashes = new long[0];
  }

  /** Turns the verification of the chunk, once it is built, on or off. */
  void verify(boolean verify) {
    if (builder != null) {
      builder.verified(verify);
    }
  }

  /** Returns true if the chunk under construction has no key. */
  boolean isEmpty() {
    return firstKey == null;
  }

  /** Returns true if the chunk under construction holds memory for keys. */
  boolean hasBuffers() {
    return builder != null;
  }

  /** Returns true if a key has the same hash as the key before it. */
  boolean isRepeat(long hash) {
    return hash == lastHash;
  }

  /**
   * Returns the number of keys that wait until the chunk is built, without row prefixes that were
   * not added yet.
   */
  long pendingKeys() {
    return builder == null ? 0 : builder.pendingCount();
  }

  /** Returns the number of keys in the chunk, row prefixes included. */
  long size() {
    return pendingKeys() + prefixes;
  }

  byte[] firstKey() {
    return firstKey;
  }

  /** Returns the row of the chunk's first key, or its prefix. */
  byte[] firstRow() {
    return kind.row(firstKey);
  }

  /** Returns the bytes of memory that the chunk holds for row prefixes. */
  long prefixBytes() {
    return (long) Long.BYTES * prefixHashes.length;
  }
}

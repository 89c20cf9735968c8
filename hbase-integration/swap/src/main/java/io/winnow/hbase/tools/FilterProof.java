package io.winnow.hbase.tools;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.read.StoreFilters;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.io.hfile.CorruptHFileException;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Check of a store file's filters and key segments: probes the filters for all keys of the file,
 * which must answer <i>maybe</i>, and for absent keys. It reads every cell and probes the filters
 * for its key, as a Get would. An absent key is made from a key of the file. Not thread-safe.
 */
final class FilterProof {
  /** Number of probes of absent keys: enough to measure a rate of 1 % to within 0.01 %. */
  private static final long WANTED_PROBES = 1_000_000;

  private static final int RANDOM_BYTES = Long.BYTES;

  /** Length in bytes of the longest row that can be extended by random bytes. */
  private static final int MAX_ROW = HConstants.MAX_ROW_LENGTH - RANDOM_BYTES;

  private final HFile.Reader reader;
  private final BloomFilter general;
  private final BloomFilter deleteFamily;
  private final KeySegment segment;
  private final BloomType type;
  private final int prefix;
  private final SplittableRandom random = new SplittableRandom(20130529);
  private final int probesPerKey;

  private byte[] lastRow = new byte[0];
  private byte[] lastQualifier = new byte[0];

  private final Outcome outcome = new Outcome();
  private long falsePositives;

  /**
   * Counts of keys and probes from the check of a store file's filters, as they stand in the JSON
   * document.
   */
  static final class Outcome {
    long cells;

    /**
     * Number of distinct keys of the store file, where a key is the part of a cell that its filter
     * has.
     */
    long keys;

    /**
     * Number of probes of keys of the file that a filter wrongly answered with <i>absent</i>: must
     * be 0.
     */
    long denied;

    /**
     * Sentence on the first key of the file that a filter wrongly answered with <i>absent</i>; null
     * if there is none.
     */
    String firstDenied;

    /**
     * Number of chunks that answer <i>maybe</i> to every probe, because they are damaged or cannot
     * be loaded.
     */
    int unusableChunks;

    /** Number of probes of keys that the file does not have. */
    long absentKeysAsked;

    /**
     * Share of the probes of absent keys that were answered <i>maybe</i>; null if there was no such
     * probe.
     */
    Double falsePositiveRate;

    boolean isFine() {
      return denied == 0 && unusableChunks == 0;
    }
  }

  private FilterProof(OpenFile file) throws IOException {
    this.reader = file.reader;
    this.general = StoreFilters.general(reader);
    this.deleteFamily = StoreFilters.deleteFamily(reader);
    this.segment = file.segment;
    this.type = file.type();
    this.prefix = file.prefix();
    long expected = general == null ? 1 : Math.max(1, general.getKeyCount());
    this.probesPerKey = (int) Math.max(1, Math.min(100, WANTED_PROBES / expected));
  }

  /**
   * Checks the filters of a store file with the file's own keys and with absent ones.
   *
   * @param file opened with a block cache that holds some chunks; without it, each probe reads its
   *     chunk
   * @param progress receives the number of cells that were read
   */
  static Outcome of(OpenFile file, LongConsumer progress) throws IOException {
    FilterProof proof = new FilterProof(file);
    proof.run(progress);
    return proof.outcome;
  }

  private void run(LongConsumer progress) throws IOException {
    HFileScanner scanner = reader.getScanner(new Configuration(false), false, false, false);
    CellCount count = new CellCount(progress);
    boolean isFirst = true;
    for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
      Cell cell = scanner.getCell();
      outcome.cells++;
      count.add(cell);
      if (PrivateCellUtil.isDeleteFamily(cell) || PrivateCellUtil.isDeleteFamilyVersion(cell)) {
        if (deleteFamily != null && !containsRow(deleteFamily, cell, cell.getRowLength())) {
          recordDenial(cell, "the delete-family filter");
        }
      }
      if (isFirst || isNewKey(cell)) {
        if (!isFirst && reader.getComparator().compareRows(cell, lastRow, 0, lastRow.length) < 0) {
          throw new CorruptHFileException(
              String.format(
                  "row %s comes after row %s",
                  Bytes.toStringBinary(CellUtil.cloneRow(cell)), Bytes.toStringBinary(lastRow)));
        }
        lastRow = CellUtil.cloneRow(cell);
        lastQualifier = type == BloomType.ROWCOL ? CellUtil.cloneQualifier(cell) : lastQualifier;
        isFirst = false;
        probeKey(cell);
      }
    }
    count.end();
    outcome.unusableChunks =
        StoreFilters.unusableChunks(general) + StoreFilters.unusableChunks(deleteFamily);
    if (outcome.absentKeysAsked > 0) {
      outcome.falsePositiveRate = (double) falsePositives / outcome.absentKeysAsked;
    }
  }

  private boolean isNewKey(Cell cell) {
    return !CellUtil.matchingRows(cell, lastRow)
        || (type == BloomType.ROWCOL && !CellUtil.matchingQualifier(cell, lastQualifier));
  }

  private void probeKey(Cell cell) {
    outcome.keys++;
    if (segment != null && !segment.covers(lastRow, 0, lastRow.length)) {
      recordDenial(cell, "the key segment");
    }
    if (general == null) {
      return;
    }
    if (!mayContain(cell)) {
      recordDenial(cell, "the filter");
    }
    if (type == BloomType.ROW && !StoreFilters.mayHavePrefixOf(general, lastRow)) {
      recordDenial(cell, "the filter, queried for the prefix of a scan,");
    }
    if (probesPerKey > 1 || random.nextLong(Math.max(1, general.getKeyCount())) < WANTED_PROBES) {
      for (int i = 0; i < probesPerKey; i++) {
        probeAbsentKey(cell);
      }
    }
  }

  private boolean mayContain(Cell cell) {
    switch (type) {
      case ROWCOL:
        return general.contains(PrivateCellUtil.createFirstOnRowCol(cell), null, BloomType.ROWCOL);
      case ROWPREFIX_FIXED_LENGTH:
        return containsRow(general, cell, Math.min(prefix, cell.getRowLength()));
      default:
        return containsRow(general, cell, cell.getRowLength());
    }
  }

  private static boolean containsRow(BloomFilter filter, Cell cell, int length) {
    return filter.contains(cell.getRowArray(), cell.getRowOffset(), length, null);
  }

  private void recordDenial(Cell cell, String filter) {
    outcome.denied++;
    if (outcome.firstDenied == null) {
      outcome.firstDenied = filter + " rules out " + CellUtil.getCellKeyAsString(cell);
    }
  }

  /**
   * Probes the filter for a key that the file does not have: the given key, extended by eight
   * random bytes. The file has it with a probability of 2^-64.
   */
  private void probeAbsentKey(Cell cell) {
    byte[] bytes = Bytes.toBytes(random.nextLong());
    if (type == BloomType.ROWCOL) {
      byte[] qualifier = Bytes.add(CellUtil.cloneQualifier(cell), bytes);
      Cell absent =
          PrivateCellUtil.createFirstOnRow(
              lastRow,
              0,
              (short) lastRow.length,
              HConstants.EMPTY_BYTE_ARRAY,
              0,
              (byte) 0,
              qualifier,
              0,
              qualifier.length);
      outcome.absentKeysAsked++;
      falsePositives += general.contains(absent, null, BloomType.ROWCOL) ? 1 : 0;
    } else if (type == BloomType.ROWPREFIX_FIXED_LENGTH) {
      if (prefix >= RANDOM_BYTES && lastRow.length >= prefix) {
        byte[] absent = Arrays.copyOf(lastRow, prefix);
        System.arraycopy(bytes, 0, absent, prefix - RANDOM_BYTES, RANDOM_BYTES);
        outcome.absentKeysAsked++;
        falsePositives += general.contains(absent, 0, prefix, null) ? 1 : 0;
      }
    } else if (lastRow.length <= MAX_ROW) {
      byte[] absent = Bytes.add(lastRow, bytes);
      outcome.absentKeysAsked++;
      falsePositives += general.contains(absent, 0, absent.length, null) ? 1 : 0;
    }
  }
}

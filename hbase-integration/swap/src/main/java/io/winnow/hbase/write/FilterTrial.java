package io.winnow.hbase.write;

import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.settings.Occasion;
import io.winnow.hbase.settings.StoreRate;
import io.winnow.hbase.settings.StoreView;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * Filter of a store file that is built chunk by chunk but not written, to measure its size, its
 * unnecessary file reads and its build time. For tools.
 *
 * <p>Holds 8 bytes for each key of one chunk, and the scratch of a build beside. Not thread-safe.
 */
public final class FilterTrial {
  /**
   * Number of chunks of a trial of which one is verified and timed, as a server would build it. Of
   * the others only the image counts, which verification does not change.
   */
  private static final int CHUNKS_PER_TIMED = 8;

  /**
   * Minimum number of chunks in a store's only file for which all chunks have one false-positive
   * rate. In a file of fewer, the rate still changes with the keys that come; in one of more, only
   * that of the last chunk does.
   */
  private static final int CHUNKS_OF_ONE_RATE = 16;

  private final KeyKind kind;
  private final KeyHash hash;
  private final FilterType type;

  /**
   * False-positive rate of a probe in all chunks of the trial; NaN if it differs from chunk to
   * chunk.
   */
  private final double rate;

  private final FilterAssembly filter;

  private ExtendedCell last;
  private long keys;
  private long chunks;
  private double estimates;
  private long timedNanos;
  private long timedKeys;

  /** Size, unnecessary file reads and build time of a filter that was tried. */
  public static final class Outcome {
    public final long bytes;

    /** The share of queries for absent keys that the tried filter does not rule out. */
    public final double falseReads;

    /**
     * The nanoseconds that one thread needs to build all chunks of the tried filter, extrapolated
     * from those that were timed. Hashing the keys is not included.
     */
    public final long buildNanos;

    private Outcome(long bytes, double falseReads, long buildNanos) {
      this.bytes = bytes;
      this.falseReads = falseReads;
      this.buildNanos = buildNanos;
    }
  }

  private FilterTrial(
      KeyKind kind, WinnowSettings settings, boolean isOneRate, FilterAssembly filter) {
    this.kind = kind;
    this.hash = settings.hash;
    this.type = settings.type();
    this.rate = isOneRate ? settings.rate() : Double.NaN;
    this.filter = filter;
  }

  /**
   * Returns a trial of the filter that a major compaction, or a tool, would write for a file.
   *
   * @param family the configuration of the family, which wants a Winnow filter
   * @param expectedKeys the expected keys of the file
   * @param others the files that stay beside it
   * @throws IllegalArgumentException if a setting has a wrong value; its message names it
   */
  public static FilterTrial of(
      Configuration family, BloomType type, double expectedKeys, List<StoreView.OtherFile> others) {
    KeyKind kind = KeyKind.of(type);
    try {
      WinnowSettings settings =
          WinnowSettings.of(family, kind)
              .inStore(new StoreView(Occasion.OTHER, expectedKeys, others));
      StoreRate rates = settings.rates;
      // An account of its own: an unfinished trial leaves nothing reserved.
      BuildMemory.Reservation memory = new BuildMemory().reserve(Long.MAX_VALUE, 0, 0);
      if (rates != null) {
        settings = settings.atRate(rates.decide(expectedKeys, null, null).rate);
      }
      return new FilterTrial(
          kind,
          settings,
          rates == null
              || others.isEmpty()
                  && expectedKeys >= (double) CHUNKS_OF_ONE_RATE * settings.keyLimit(),
          new FilterAssembly(settings, kind, memory, 0));
    } catch (WrongSettingException e) {
      throw new IllegalArgumentException(e.inWords(), e);
    }
  }

  /**
   * Returns true if two trials build the same filter from the same keys: they have one type, and
   * rates that a writer treats as equal. The result of one then holds for the other too.
   */
  public boolean isLike(FilterTrial other) {
    return type == other.type && ChunkRate.isSame(rate, other.rate); // false for NaN
  }

  /**
   * Returns the hash of a cell's key, which all trials of a family can use, whatever their seeds.
   */
  public long hash(ExtendedCell cell) {
    return kind.hash(hash, cell);
  }

  /**
   * Adds the key of a cell to the tried filter, which must be greater than that of the cell before.
   *
   * @param keyHash the {@link #hash} of the key
   */
  public void add(ExtendedCell cell, long keyHash) {
    keys++;
    filter.add(cell, keyHash);
    last = cell;
    if (filter.isFull()) {
      build(false);
    }
  }

  private void build(boolean closing) {
    boolean isTimed = chunks % CHUNKS_PER_TIMED == 0;
    filter.verifyThisChunk(isTimed);
    long start = System.nanoTime();
    while (filter.hasReadyChunk(last, closing)) {
      FilterImage image = filter.nextImage();
      long inChunk = filter.nextKeyCount();
      estimates += inChunk * image.layout().estimatedRate();
      // The place in the file does not matter, as long as each comes after the one before.
      filter.blockWritten(chunks, 1, image.sizeInBytes());
      chunks++;
      timedKeys += isTimed ? inChunk : 0;
    }
    timedNanos += isTimed ? System.nanoTime() - start : 0;
  }

  /**
   * Builds the last chunk of the tried filter and returns the result. No key can be added any more.
   *
   * @return the result
   */
  public Outcome finish() {
    build(true);
    double ofProbe = keys == 0 ? 0 : estimates / keys;
    long nanos = timedKeys == 0 ? 0 : Math.round((double) timedNanos / timedKeys * keys);
    return new Outcome(filter.imageBytes(), kind.rateOfQuery(ofProbe), nanos);
  }
}

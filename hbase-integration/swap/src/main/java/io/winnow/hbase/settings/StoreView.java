package io.winnow.hbase.settings;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.io.hfile.HFile;

/**
 * View of a store when a new file of it is about to be written: the other files, on which the new
 * file's false-positive rate depends.
 *
 * <p>{@code StoreHooks} leaves it for the thread that writes, and the file's filters pick it up. It
 * belongs to the first file that the thread opens after that, and to no other. Immutable except for
 * the link to this file.
 */
public final class StoreView {
  private static final ThreadLocal<StoreView> OF_THIS_THREAD = new ThreadLocal<>();

  /** Number of expected keys that stands for an unknown number of keys. */
  private static final double ENDLESS = 1e12;

  public final Occasion occasion;

  /** The number of keys that the new store file is expected to have. */
  final double expectedKeys;

  /**
   * A lower bound on the number of keys of the new file and of the files that a compaction writes
   * together with it.
   */
  final double keysInAll;

  /** The files that a store keeps beside the new file that is written; null if unknown. */
  final List<OtherFile> others;

  /** The store files that the new file of a compaction replaces; none if new rows are written. */
  final List<OtherFile> rewritten;

  /** True if the block cache of the server that writes is too small for its filters. */
  final boolean isCacheShort;

  /**
   * Writer of the new file that this view of the store was recorded for; null until the file is
   * opened.
   */
  private WeakReference<HFile.Writer> writer;

  /** A file that stays in the store beside the new file. */
  public static final class OtherFile {

    /** The number of keys in a file's filter, as far as known. */
    public final double keys;

    /** The bytes of a file's filter, without those of row prefixes. */
    final double filterBytes;

    /** The first row of a file of the store; null if unknown. */
    final byte[] firstRow;

    /** The last row of a file of the store; null if unknown. */
    final byte[] lastRow;

    public OtherFile(double keys, double filterBytes, byte[] firstRow, byte[] lastRow) {
      this.keys = keys;
      this.filterBytes = filterBytes;
      this.firstRow = firstRow;
      this.lastRow = lastRow;
    }

    /**
     * Returns true if a Get of a row in a range may query the filter of a file.
     *
     * @param from the first row of the range; null for no bound
     * @param to the last row of the range, or a prefix of it; null for no bound
     */
    boolean mayBeQueried(byte[] from, byte[] to) {
      return (from == null || lastRow == null || Arrays.compareUnsigned(lastRow, from) >= 0)
          && (to == null
              || firstRow == null
              || Arrays.compareUnsigned(
                      firstRow, 0, Math.min(firstRow.length, to.length), to, 0, to.length)
                  <= 0);
    }
  }

  /**
   * Creates a view of the files of a store, for a new file that does not replace others.
   *
   * @param expectedKeys the expected keys of the new file's filter
   * @param others the files that the store keeps beside the new one
   */
  public StoreView(Occasion occasion, double expectedKeys, List<OtherFile> others) {
    this(occasion, expectedKeys, 0, others, List.of());
  }

  /**
   * Creates a view of the files of a store, for a new file, or for one of several, that a
   * compaction writes. Several are written from the same keys, and the same Gets query all of them.
   *
   * @param expectedKeys the expected keys of the new file's filter
   * @param keysInAll the keys of all files that are written together; 0 if there is only one
   * @param others the files that the store keeps beside the new one
   * @param rewritten the files that the new one replaces
   */
  public StoreView(
      Occasion occasion,
      double expectedKeys,
      double keysInAll,
      List<OtherFile> others,
      List<OtherFile> rewritten) {
    this(occasion, expectedKeys, keysInAll, others, rewritten, false);
  }

  private StoreView(
      Occasion occasion,
      double expectedKeys,
      double keysInAll,
      List<OtherFile> others,
      List<OtherFile> rewritten,
      boolean isCacheShort) {
    this.occasion = occasion;
    this.expectedKeys = expectedKeys;
    this.keysInAll = keysInAll;
    this.others = others == null ? null : List.copyOf(others);
    this.rewritten = List.copyOf(rewritten);
    this.isCacheShort = isCacheShort;
  }

  /** Returns this view, for a file of a server whose block cache is too small for its filters. */
  public StoreView whereCacheIsShort() {
    return new StoreView(occasion, expectedKeys, keysInAll, others, rewritten, true);
  }

  /**
   * Returns a view of a store without other files, for a new file of unknown size that a bulk load
   * or a tool writes outside any store.
   */
  static StoreView ofOnlyFile(Occasion occasion) {
    return new StoreView(occasion, ENDLESS, List.of());
  }

  /** Returns true if the new store file is written outside any store, by a bulk load or a tool. */
  boolean isOfOnlyFile() {
    return expectedKeys == ENDLESS && others != null;
  }

  /**
   * Returns a view of a store whose files are unknown, for a new file of which only the reason for
   * writing is known.
   */
  public static StoreView unknown(Occasion occasion) {
    return new StoreView(occasion, 0, null);
  }

  /**
   * Records a view of the files of a store, for the file that this thread opens next.
   *
   * @param view the view; null if nothing is known about the file
   */
  public static void leave(StoreView view) {
    if (view == null) {
      OF_THIS_THREAD.remove();
    } else {
      OF_THIS_THREAD.set(view);
    }
  }

  /**
   * Returns the view of the files of a store that was recorded for the file that is being opened;
   * null if none was.
   */
  public static StoreView of(HFile.Writer opened) {
    StoreView view = OF_THIS_THREAD.get();
    if (view == null || opened == null) {
      return null;
    }
    if (view.writer == null) {
      view.writer = new WeakReference<>(opened);
    }
    return view.writer.get() == opened ? view : null;
  }

  /** Returns true if the files that a store keeps beside the new file are known. */
  boolean isKnown() {
    return others != null;
  }
}

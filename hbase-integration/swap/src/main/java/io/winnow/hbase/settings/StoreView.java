package io.winnow.hbase.settings;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.io.hfile.HFile;

/**
 * A store as it is when one of its files is about to be written: what a Get asks beside that file.
 *
 * <p>{@code StoreHooks} leaves it for the thread that writes, and the file's filters pick it up. It
 * belongs to the first file that the thread opens after that, and to no other. Immutable but for
 * that.
 */
public final class StoreView {
  private static final ThreadLocal<StoreView> OF_THIS_THREAD = new ThreadLocal<>();

  /** The keys of a file of which nobody knows how many come. */
  private static final double ENDLESS = 1e12;

  private final Occasion occasion;
  private final double expectedKeys;
  private final double keysInAll;
  private final List<OtherFile> others;
  private final List<OtherFile> rewritten;

  /** The file that it is for, once one was opened. */
  private WeakReference<HFile.Writer> writer;

  /** A file that stays. */
  public static final class OtherFile {
    private final double keys;
    private final double filterBytes;
    private final byte[] firstRow;
    private final byte[] lastRow;

    public OtherFile(double keys, double filterBytes, byte[] firstRow, byte[] lastRow) {
      this.keys = keys;
      this.filterBytes = filterBytes;
      this.firstRow = firstRow;
      this.lastRow = lastRow;
    }

    /** Of its filter, as far as one can tell. */
    public double keys() {
      return keys;
    }

    /** The bytes of its filter, without those of prefixes. */
    double filterBytes() {
      return filterBytes;
    }

    /** Null if it is not known. */
    byte[] firstRow() {
      return firstRow;
    }

    /** Null if it is not known. */
    byte[] lastRow() {
      return lastRow;
    }

    /**
     * Whether a Get of a row between these two, either of which may be null for no bound, may ask
     * this file. The last one may be the prefix of a row.
     */
    boolean mayBeAsked(byte[] from, byte[] to) {
      return (from == null || lastRow == null || Arrays.compareUnsigned(lastRow, from) >= 0)
          && (to == null
              || firstRow == null
              || Arrays.compareUnsigned(
                      firstRow, 0, Math.min(firstRow.length, to.length), to, 0, to.length)
                  <= 0);
    }
  }

  /**
   * @param expectedKeys of the new file's filter
   * @param others the files that the store keeps beside the new one
   */
  public StoreView(Occasion occasion, double expectedKeys, List<OtherFile> others) {
    this(occasion, expectedKeys, 0, others, List.of());
  }

  /**
   * Of a file, or one of several, that a compaction writes. Several are written from the same keys,
   * and all are asked by the same Gets.
   *
   * @param expectedKeys of the new file's filter
   * @param keysInAll of the files that are written together; 0 if there is but one
   * @param others the files that the store keeps beside the new one
   * @param rewritten the files that go
   */
  public StoreView(
      Occasion occasion,
      double expectedKeys,
      double keysInAll,
      List<OtherFile> others,
      List<OtherFile> rewritten) {
    this.occasion = occasion;
    this.expectedKeys = expectedKeys;
    this.keysInAll = keysInAll;
    this.others = others == null ? null : List.copyOf(others);
    this.rewritten = List.copyOf(rewritten);
  }

  /**
   * Of a file that is written outside any store, by a bulk load or a tool: it is the only one of
   * its store, and nobody knows how large it will be.
   */
  static StoreView ofOnlyFile(Occasion occasion) {
    return new StoreView(occasion, ENDLESS, List.of());
  }

  /** Whether the file is written outside any store. */
  boolean isOfOnlyFile() {
    return expectedKeys == ENDLESS && others != null;
  }

  /** Nothing but the occasion is known. */
  public static StoreView unknown(Occasion occasion) {
    return new StoreView(occasion, 0, null);
  }

  /** Leaves it for the file that this thread opens next; null if nothing is known of that. */
  public static void leave(StoreView view) {
    if (view == null) {
      OF_THIS_THREAD.remove();
    } else {
      OF_THIS_THREAD.set(view);
    }
  }

  /** The store of the file that is being opened; null if it is not known. */
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

  public Occasion occasion() {
    return occasion;
  }

  boolean isKnown() {
    return others != null;
  }

  /** Keys of the new file, as far as one can tell. */
  double expectedKeys() {
    return expectedKeys;
  }

  /** Keys of the new file and of those that are written with it, at least. */
  double keysInAll() {
    return keysInAll;
  }

  List<OtherFile> others() {
    return others;
  }

  /** The files that go, once the new one is there; none where new rows are written. */
  List<OtherFile> rewritten() {
    return rewritten;
  }
}

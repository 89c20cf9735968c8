package io.winnow.ycsb;

/**
 * Which rows a load puts into which of a store's files, and in which version.
 *
 * <p>File <i>f</i> of 0..files-1 holds rows in version <i>f</i>. A row is first written to one
 * file, any with the same chance, and then again to each later file with the chance {@code
 * rewritten}: 0 is a store in which every row is in one file and a Get is sent to all of them. The
 * newest version is the one that a read must give; a file that a filter left out wrongly shows as
 * an older one, or none. Immutable and thread-safe.
 */
public final class LoadPlan {

  /** HBase's files hold a row's newest version by the cells' timestamps: this and the version. */
  private static final long FIRST_TIMESTAMP = 1;

  private final int files;
  private final double rewritten;

  private LoadPlan(int files, double rewritten) {
    this.files = files;
    this.rewritten = rewritten;
  }

  /**
   * A plan.
   *
   * @throws IllegalArgumentException if there is no file, or the share is not in 0..1
   */
  public static LoadPlan of(int files, double rewritten) {
    if (files < 1) {
      throw new IllegalArgumentException(files + " files are not 1 or more");
    }
    if (!(rewritten >= 0 && rewritten <= 1)) {
      throw new IllegalArgumentException("the share " + rewritten + " is not in 0..1");
    }
    return new LoadPlan(files, rewritten);
  }

  /** The number of files in a store. */
  public int files() {
    return files;
  }

  /** Whether the file holds the row of a present index. */
  public boolean holds(int file, long index) {
    int first = firstFile(index);
    return file == first || file > first && isRewritten(file, index);
  }

  /** The version that a read must give: the newest file's that holds the row. */
  public long newestVersion(long index) {
    int first = firstFile(index);
    for (int file = files - 1; file > first; file--) {
      if (isRewritten(file, index)) {
        return file;
      }
    }
    return first;
  }

  /** The timestamp of a loaded version's cells: later versions have later ones. */
  public static long timestamp(long version) {
    return FIRST_TIMESTAMP + version;
  }

  private int firstFile(long index) {
    return files == 1 ? 0 : (int) Math.floorMod(Mix.of(index), (long) files);
  }

  private boolean isRewritten(int file, long index) {
    return rewritten > 0
        && (Mix.of(Mix.of(index) + file) >>> 11) * 0x1p-53 < rewritten; // 53 bits: a double in 0..1
  }
}

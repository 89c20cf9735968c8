package io.winnow.ycsb;

/**
 * Which rows a load puts into which of a store's files, and in which version.
 *
 * <p>File <i>f</i> of 0..files-1 holds rows in version <i>f</i>. A row is first written to one
 * file, any with the same chance (or most often to file 0, which is then the large one of a store
 * with small ones), and then again to each later file with the chance {@code rewritten}: 0 is a
 * store in which every row is in one file and a Get is sent to all of them. The newest version is
 * the one that a read must give; a file that a filter left out wrongly shows as an older one, or
 * none. Immutable and thread-safe.
 */
public final class LoadPlan {

  /** HBase's files hold a row's newest version by the cells' timestamps: this and the version. */
  private static final long FIRST_TIMESTAMP = 1;

  private final int files;
  private final double rewritten;
  private final double smallShare;
  private final int group;

  private LoadPlan(int files, double rewritten, double smallShare, int group) {
    this.files = files;
    this.rewritten = rewritten;
    this.smallShare = smallShare;
    this.group = group;
  }

  /**
   * A plan.
   *
   * @throws IllegalArgumentException if there is no file, or the share is not in 0..1
   */
  public static LoadPlan of(int files, double rewritten) {
    return of(files, rewritten, 1.0 / files);
  }

  /**
   * A plan of one large file and small ones.
   *
   * @param smallShare of the rows, that each file but the first gets
   * @throws IllegalArgumentException if there is no file, or a share is not in 0..1, or the small
   *     files are to have more than all rows
   */
  public static LoadPlan of(int files, double rewritten, double smallShare) {
    if (files < 1) {
      throw new IllegalArgumentException(files + " files are not 1 or more");
    }
    if (!(rewritten >= 0 && rewritten <= 1)) {
      throw new IllegalArgumentException("the share " + rewritten + " is not in 0..1");
    }
    if (!(smallShare > 0 && smallShare * (files - 1) <= 1)) {
      throw new IllegalArgumentException(
          "%d files of %s of the rows are more than all".formatted(files - 1, smallShare));
    }
    return new LoadPlan(files, rewritten, smallShare, 1);
  }

  /** The same for groups of so many rows each: what is said of a row is said of all its group. */
  public LoadPlan ofGroups(int rows) {
    return new LoadPlan(files, rewritten, smallShare, rows);
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
    double place = unit(Mix.of(index / group)) / smallShare;
    return place < files - 1 ? 1 + (int) place : 0;
  }

  private boolean isRewritten(int file, long index) {
    return rewritten > 0 && unit(Mix.of(Mix.of(index / group) + file)) < rewritten;
  }

  /** 53 bits: a double in 0..1. */
  private static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }
}

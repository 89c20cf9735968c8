package io.winnow.ycsb;

/**
 * The plan of loading a table: which rows go into which of a store's files, and in which version.
 *
 * <p>File <i>f</i> of 0..files-1 holds rows in version <i>f</i>. A row is first written to one
 * file, to each with the same chance (or most often to file 0, which is then the large file of a
 * store with small ones). Then it is written again to each later file with the chance {@code
 * rewritten}. If this is 0, every row is in one file, and a Get queries all of them. A read must
 * return the newest version: if a filter wrongly rules out a file, an older version or none is
 * read. Immutable and thread-safe.
 */
public record LoadPlan(int files, double rewritten, double smallShare, int group) {

  /**
   * Timestamp of cells of version 0; that of a later version is higher by the version, so that
   * HBase returns the newest.
   */
  private static final long FIRST_TIMESTAMP = 1;

  /**
   * Makes a plan of loading rows.
   *
   * @param files number of store files in each store of a loaded table
   * @param rewritten chance that a row is written again to a later file
   * @param smallShare share of the rows that each file but the first gets
   * @param group number of successive rows that are in the same files
   * @throws IllegalArgumentException if there is no file, or a share is not in 0..1, or the small
   *     files would have more than all rows
   */
  public LoadPlan {
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
  }

  /**
   * Returns a plan of loading rows into files of one size.
   *
   * @throws IllegalArgumentException if there is no file, or the share is not in 0..1
   */
  public static LoadPlan of(int files, double rewritten) {
    return new LoadPlan(files, rewritten, 1.0 / Math.max(1, files), 1);
  }

  /** Returns whether a store file has the row whose key has the given index. */
  public boolean holds(int file, long index) {
    int first = firstFile(index);
    return file == first || file > first && isRewritten(file, index);
  }

  /**
   * Returns the version of a row that a read must return: that of the newest file which has the
   * row.
   */
  public long newestVersion(long index) {
    int first = firstFile(index);
    for (int file = files - 1; file > first; file--) {
      if (isRewritten(file, index)) {
        return file;
      }
    }
    return first;
  }

  /** Returns the timestamp of the cells of a row's version; later versions have later ones. */
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

  /** Returns a double in [0, 1) that is made of a number's upper 53 bits. */
  private static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }
}

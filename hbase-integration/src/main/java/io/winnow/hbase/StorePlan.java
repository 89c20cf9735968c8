package io.winnow.hbase;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The rates that the files of a store would get: the rule of {@link StoreRate}, for tools that plan
 * and write nothing.
 */
public final class StorePlan {
  private StorePlan() {}

  /** A file that the store has, whose filter takes so many bytes. */
  public static final class PlannedFile {
    private final double keys;
    private final double filterBytes;

    public PlannedFile(double keys, double filterBytes) {
      this.keys = keys;
      this.filterBytes = filterBytes;
    }

    public double keys() {
      return keys;
    }

    public double filterBytes() {
      return filterBytes;
    }
  }

  /** Sizes and rates of filters, for the guards that stand where no setting of a store is given. */
  public interface Sizes extends StoreRate.Guard {}

  /**
   * The rate of a new file's filter, above 0; a file whose rate is too high has no filter.
   *
   * @param others the files that stay beside it, all asked by the same Gets
   * @param inAll what a Get may pay in all
   * @param presentShare how many of all Gets find their row, 0 to 1
   * @param guard null if the rule stands alone
   */
  public static double rate(
      double keys, List<PlannedFile> others, double inAll, double presentShare, Sizes guard) {
    List<StoreView.OtherFile> files =
        others.stream()
            .map(other -> new StoreView.OtherFile(other.keys(), other.filterBytes(), null, null))
            .collect(Collectors.toList());
    StoreView store = new StoreView(Occasion.OTHER, keys, files);
    return new StoreRate(store, inAll, presentShare, guard).rate(keys, null, null);
  }
}

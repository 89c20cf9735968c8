package io.winnow.ribbon;

/** Sizings whose builds always begin at the seed 0, for golden files of other packages. */
public final class SteadySeeds {
  private SteadySeeds() {}

  /** As {@link BumpedRibbonSizing#forRate}: two builds of the same keys have the same bytes. */
  public static BumpedRibbonSizing bumped(double rate) {
    return BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0);
  }
}

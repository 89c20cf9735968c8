package io.winnow.ycsb.model;

import io.winnow.ycsb.FilterKind;
import java.util.List;

/** The costs that a {@link CostRun} tells apart, and how often a row pays each of them. */
enum CostTerm {
  ROW("a row that is asked for"),
  FOUND("on top, a row that is there"),
  BLOOM("a question to a Bloom filter"),
  RIBBON("a question to a ribbon filter"),
  BUMPED_RIBBON("a question to a bumped-ribbon filter"),
  BLOCK_64("a block of 64 KiB that is looked up"),
  READ_64("on top, a block of 64 KiB that is read"),
  BLOCK_8("a block of 8 KiB that is looked up"),
  READ_8("on top, a block of 8 KiB that is read");

  /** A table without a filter. */
  static final String NO_FILTER = "none";

  static final List<String> FILTERS = List.of("bloom", "ribbon", "bumped-ribbon");

  /** The filters' rate: so few blocks are looked up in vain that no more need be known. */
  private static final double RATE = 0.01;

  private final String text;

  CostTerm(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  static CostTerm question(FilterKind kind) {
    return switch (kind) {
      case BLOOM -> BLOOM;
      case RIBBON -> RIBBON;
      case BUMPED_RIBBON -> BUMPED_RIBBON;
    };
  }

  static CostTerm lookUp(int blockBytes) {
    return blockBytes > CostRun.BLOCK_SIZES.get(1) ? BLOCK_64 : BLOCK_8;
  }

  static CostTerm read(int blockBytes) {
    return blockBytes > CostRun.BLOCK_SIZES.get(1) ? READ_64 : READ_8;
  }

  /** How often a row of a situation pays each cost, in the order of this enum. */
  static double[] counts(CostRun.Situation situation) {
    double[] counts = new double[values().length];
    counts[ROW.ordinal()] = 1;
    counts[FOUND.ordinal()] = situation.present() ? 1 : 0;
    boolean filtered = !situation.filter().equals(NO_FILTER);
    int others = situation.files() - (situation.present() ? 1 : 0);
    double opened = situation.files() - others + others * (filtered ? RATE : 1);
    if (filtered) {
      CostTerm question = values()[BLOOM.ordinal() + FILTERS.indexOf(situation.filter())];
      counts[question.ordinal()] = situation.files();
    }
    double rowBytes = Fleet.rowBytes(CostRun.KEY_LENGTH, 5, 20);
    // A row that is there goes over a block's end now and then.
    double blocks = opened + (situation.present() ? rowBytes / situation.blockBytes() : 0);
    counts[lookUp(situation.blockBytes()).ordinal()] = blocks;
    counts[read(situation.blockBytes()).ordinal()] = blocks * (1 - situation.inCache());
    return counts;
  }
}

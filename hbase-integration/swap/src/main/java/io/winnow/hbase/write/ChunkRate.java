package io.winnow.hbase.write;

import io.winnow.hbase.settings.RateReason;
import io.winnow.hbase.settings.StoreRate;
import io.winnow.hbase.settings.WinnowSettings;

/**
 * False-positive rate of the chunk under construction, with the settings, the key limit and the
 * costs that follow from it. Not thread-safe.
 */
final class ChunkRate {
  /**
   * Relative difference between rates below which a new rate is not worth another sizing of the
   * filter.
   */
  private static final double SAME_RATE = 0.01;

  /** Rule for the rates of the file's chunks; null if all chunks have the rate of the settings. */
  private final StoreRate rule;

  private WinnowSettings settings;
  private BuildCost cost;
  private long keyLimit;

  /** False-positive rate of a query that was chosen last for a chunk; 0 before the first choice. */
  private double chosen;

  /**
   * Choice of the present chunk's rate with its reason; null if all chunks have the rate of the
   * settings.
   */
  private StoreRate.Decision decision;

  ChunkRate(WinnowSettings settings) {
    this.rule = settings.rates;
    use(settings);
  }

  private void use(WinnowSettings newSettings) {
    settings = newSettings;
    keyLimit = newSettings.keyLimit();
    cost = new BuildCost(newSettings);
  }

  /**
   * Chooses the false-positive rate for a chunk that begins to collect keys, by the rule for rates.
   * There must be such a rule.
   *
   * @param addedKeys the keys of the file so far
   * @return true if the settings changed
   */
  boolean chooseForFilling(OpenChunk chunk, long addedKeys) {
    decision = rule.decide(expectedKeys(addedKeys), chunk.firstRow(), null);
    return choose();
  }

  /**
   * Chooses the false-positive rate for a chunk that has all its keys, by the rule for rates. There
   * must be such a rule. Whatever number of keys was expected before, the whole file lets through
   * no more than stock's filter of the keys that came.
   *
   * @param lastRow the row of the last key, or a later one
   * @param addedKeys the keys of the file so far
   * @param keysBefore the keys of the chunks before
   * @param estimatesBefore the sum, over these keys, of the rates estimated from their chunks
   * @param closing true if no key follows
   * @return true if the settings changed
   */
  boolean chooseForBuild(
      OpenChunk chunk,
      byte[] lastRow,
      long addedKeys,
      long keysBefore,
      double estimatesBefore,
      boolean closing) {
    double keys = closing ? addedKeys : expectedKeys(addedKeys);
    decision = rule.decide(keys, chunk.firstRow(), lastRow);
    double max = rule.maxChunkRate(keysBefore, estimatesBefore, chunk.pendingKeys(), closing);
    if (max < decision.rate) {
      RateReason reason = decision.reason == RateReason.CACHE ? RateReason.CACHE : RateReason.STOCK;
      decision = new StoreRate.Decision(max, decision.share, reason);
    }
    return choose();
  }

  private boolean choose() {
    double rate = decision.rate;
    if (rate >= chosen && isSame(rate, chosen)) {
      return false;
    }
    chosen = rate;
    use(settings.atRate(rate));
    return true;
  }

  /**
   * Returns true if a new false-positive rate is so near to the present one that the present one is
   * kept.
   */
  static boolean isSame(double rate, double before) {
    return Math.abs(rate - before) <= SAME_RATE * before;
  }

  /**
   * Returns the number of keys that the whole file is expected to have, while more of them may
   * come.
   */
  private double expectedKeys(long addedKeys) {
    return Math.max(rule.expectedKeys(), addedKeys + 1);
  }

  /** Returns true if a rule chooses the rates of the file's chunks. */
  boolean hasRule() {
    return rule != null;
  }

  /** Returns the filter settings of the chunk under construction. */
  WinnowSettings settings() {
    return settings;
  }

  /** Returns the number of keys in a full chunk at the present rate. */
  long keyLimit() {
    return keyLimit;
  }

  /** Returns the memory costs of building the chunk under construction. */
  BuildCost cost() {
    return cost;
  }

  /**
   * Returns the share of the store's keys that the file has; 0 if all chunks have the rate of the
   * settings.
   */
  double share() {
    return decision == null ? 0 : decision.share;
  }

  /** Returns the reason for the false-positive rate of the chunk under construction. */
  RateReason reason() {
    return decision == null ? RateReason.FIXED : decision.reason;
  }
}

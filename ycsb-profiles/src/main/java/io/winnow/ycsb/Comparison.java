package io.winnow.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The plan of a run of {@code ./winnow ycsb}, and its execution: which workloads are measured in
 * which order, on which tables.
 *
 * <p>The default run and {@code --sweep} read tables with different filters, and compact some. With
 * {@code --stores} and {@code --scans} a store has one large file and small ones, which the servers
 * write. A filter's rate is then the same for all files or depends on the file's share, or the
 * filters have the prefixes of groups or not.
 */
final class Comparison {
  /**
   * Sizes of stock Bloom filters, as shares of the block cache, for which a sweep measures reads:
   * from a tight cache to an ample one.
   */
  private static final double[] SWEEP = {2, 1.2, 0.8, 0.6, 0.4, 0.25, 0.12};

  /**
   * Maximum number of rows in the tables of the workload {@code store-busy}, which are compacted in
   * seconds, in each turn. No other workload reads them.
   */
  private static final long BUSY_ROWS = 400_000;

  private final Ycsb options;
  private final List<Reads> plan = new ArrayList<>();

  /** The compactions of a default run; null in others. */
  private final Compactions compactions;

  private Comparison(Ycsb options) {
    this.options = options;
    this.compactions =
        options.sweep || options.stores || options.scans ? null : new Compactions(options);
  }

  static Comparison of(Ycsb options) throws IOException {
    Comparison comparison = new Comparison(options);
    if (options.stores || options.scans) {
      comparison.planStores();
    } else {
      comparison.planTables();
    }
    return comparison;
  }

  // ==== tables with different filters

  /**
   * Plans the reads of tables, one set for each key length, number of files and share of rewritten
   * rows. Sets with the usual key length come first, because most profiles read them.
   */
  private void planTables() throws IOException {
    Map<List<Object>, TableSet> sets = new LinkedHashMap<>();
    List<Integer> lengths = new ArrayList<>(List.of(options.usualKeyLength()));
    if (!options.sweep) {
      options.keyLengths.stream().filter(one -> one != lengths.get(0)).forEach(lengths::add);
    }
    for (int keyLength : lengths) {
      boolean isUsual = keyLength == options.usualKeyLength();
      for (String name : tableProfiles(isUsual)) {
        Profile profile = Profile.of(name);
        int files = profile.files(options.files);
        TableSet set =
            sets.computeIfAbsent(
                List.of(keyLength, files, profile.rewritten()),
                key ->
                    new TableSet(
                        keyLength + "_" + files,
                        TableSet.Making.LOADED,
                        TableFilter.KINDS,
                        KeySpace.of(keyLength, options.rows),
                        LoadPlan.of(files, profile.rewritten())));
        planTable(set, profile, isUsual);
      }
    }
    List<TableSet> order = List.copyOf(sets.values());
    plan.sort(Comparator.comparingInt(reads -> order.indexOf(reads.tables)));
  }

  private List<String> tableProfiles(boolean isUsualLength) {
    if (!options.sweep && !options.profiles.isEmpty()) {
      // in the order of the run
      return Profile.ALL.stream().filter(options.profiles::contains).toList();
    }
    return options.sweep || !isUsualLength ? List.of(Profile.LINDORM) : Profile.NAMES;
  }

  /**
   * Adds the reads of a workload to the plan. Lindorm's has more rounds than others. In a run of
   * all workloads it is also measured with a BucketCache, in a sweep with block caches of many
   * sizes for the same hot rows.
   */
  private void planTable(TableSet set, Profile profile, boolean isUsualLength) {
    boolean isLindorm = profile.name().equals(Profile.LINDORM);
    if (options.sweep) {
      for (double share : SWEEP) {
        add(Measurement.TABLES, set, profile, options.otherRounds(), CacheSize.ofShare(share));
      }
      return;
    }
    if (isLindorm && isUsualLength && options.profiles.isEmpty()) {
      add(Measurement.BUCKET, set, profile, options.otherRounds(), options.cache);
    }
    int rounds = isLindorm ? options.rounds : options.otherRounds();
    add(Measurement.TABLES, set, profile, rounds, options.cache);
  }

  private void add(
      Measurement measurement, TableSet set, Profile profile, int rounds, CacheSize cache) {
    plan.add(new Reads(options, measurement, set, profile, set.contenders, rounds, cache));
  }

  // ==== stores of several files

  private void planStores() throws IOException {
    Measurement measurement = options.scans ? Measurement.SCANS : Measurement.STORES;
    List<String> all = options.scans ? Profile.SCANS : Profile.STORES;
    // Profiles differ in their reads, not in the tables.
    Map<Boolean, TableSet> sets = new HashMap<>();
    for (String name : options.profiles.isEmpty() ? all : options.profiles) {
      Profile profile = Profile.of(name);
      TableSet set =
          sets.computeIfAbsent(profile.is(Profile.BUSY), isBusy -> storeSet(isBusy, profile));
      boolean isShort = !options.scans && !Profile.RATES.contains(name);
      plan.add(
          new Reads(
              options,
              measurement,
              set,
              profile,
              isShort ? TableFilter.DEFAULTS : set.contenders,
              storeRounds(profile),
              options.cache));
    }
  }

  private TableSet storeSet(boolean isBusy, Profile profile) {
    int group = profile.group();
    long rows = isBusy ? Math.min(options.rows, BUSY_ROWS) : options.rows;
    return new TableSet(
        isBusy ? "busy" : options.scans ? "scans" : "stores",
        isBusy ? TableSet.Making.MERGED : TableSet.Making.FLUSHED,
        isBusy
            ? TableFilter.DEFAULTS
            : options.scans ? TableFilter.OF_SCANS : TableFilter.OF_STORES,
        KeySpace.of(options.usualKeyLength(), rows / group * group, group),
        profile.plan(isBusy ? 0 : options.files));
  }

  /**
   * Returns the number of times that each table is measured with a workload of stores. It is higher
   * for profiles with popular rows, which each round draws anew.
   */
  private int storeRounds(Profile profile) {
    if (options.scans || profile.hasPopularRows() && !profile.is(Profile.BUCKET)) {
      return options.rounds;
    }
    return Profile.RATES.contains(profile.name())
        ? Math.min(options.rounds, Ycsb.RATES_ROUNDS)
        : options.otherRounds();
  }

  // ==== the run

  /** Returns the approximate seconds that the run takes on a machine with two cores. */
  double expectedSeconds() {
    double seconds = StandaloneDeployment.START_SECONDS;
    Set<TableSet> loaded = new HashSet<>();
    Reads last = null;
    for (Reads reads : plan) {
      seconds += loaded.add(reads.tables) ? reads.tables.seconds() : 0;
      seconds += reads.restartsAfter(last) ? reads.restartSeconds() : 0;
      seconds += reads.seconds();
      last = reads;
    }
    return seconds + (compactions == null ? 0 : compactions.seconds());
  }

  /** Measures all that is planned, and drops the tables that it made. */
  void run(Workbench bench) throws IOException, InterruptedException {
    for (int i = 0; i < plan.size(); i++) {
      Reads reads = plan.get(i);
      if (reads.profile.is(Profile.COLD) && !bench.deployment.isLocal()) {
        bench.out.printf(
            "  %s is left out: the files are not on this machine%n", reads.profile.name());
        continue;
      }
      TableSet tables = reads.tables;
      tables.load(bench, reads.benchmarkOfFiles());
      if (i == 0 && compactions != null) {
        compactions.run(bench);
      }
      reads.run(bench);
      if (plan.subList(i + 1, plan.size()).stream().noneMatch(one -> one.tables == tables)) {
        tables.drop(bench);
      }
    }
  }
}

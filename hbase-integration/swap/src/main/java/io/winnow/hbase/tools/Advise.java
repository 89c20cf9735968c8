package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code advise}: reports what Winnow would save, measured on the store files that
 * exist.
 */
@Command(name = "winnow advise")
final class Advise extends Tool.OfCells {
  private static final double MIN_RATE = 1e-6;
  private static final double MAX_RATE = 0.5;

  /**
   * Smallest value of {@code winnow.store.memory} that the command {@code advise} tries. The
   * largest follows, and the number of steps per unit in which a value is searched.
   */
  private static final double MIN_MEMORY = 0.1;

  private static final double MAX_MEMORY = 1.25;
  private static final double STEPS = 1000;

  /** Number of standard errors on each side of the mean that hold 95 % of a normal distribution. */
  private static final double ERRORS_OF_95_PERCENT = 1.96;

  /**
   * Largest size of filters, as a share of the block cache, with which they stay in it beside data
   * blocks that are read at random.
   */
  private static final double MAX_SHARE_THAT_FITS = 0.5;

  /**
   * One filter, with its size and the unnecessary file reads that it causes, in the JSON document
   * of {@code advise}. Its first four names are always present.
   */
  private static final class Entry {
    String filter;
    long bytes;
    double bitsPerKey;
    double falseReadsPerAbsentGet;
    String setting;
    Double buildSeconds;
    Double buildNanosPerKey;
    Double blockCacheFreed;
    Double bytesError;
    Double falseReadsError;
  }

  /**
   * Value of {@code winnow.store.memory} with which filters have the memory, or the rate of
   * unnecessary file reads, that the user named: a part of the JSON document of {@code advise}.
   */
  private static final class Wish {
    final double storeMemory;
    final long bytes;
    final double shareOfStock;
    final double falseReadsPerAbsentGet;

    Wish(double storeMemory, long bytes, double shareOfStock, double falseReadsPerAbsentGet) {
      this.storeMemory = storeMemory;
      this.bytes = bytes;
      this.shareOfStock = shareOfStock;
      this.falseReadsPerAbsentGet = falseReadsPerAbsentGet;
    }
  }

  /**
   * Costs and savings of row prefixes of one rule as keys of filters, in the JSON document of
   * {@code advise}.
   */
  private static final class PrefixEntry {
    transient PrefixRule rule;

    /** Length in bytes; null if a delimiter ends the prefix. */
    Integer length;

    /** Value of {@code winnow.scan.prefix}. */
    String setting;

    long prefixes;
    double rowsPerPrefix;
    double filesPerPrefix;
    transient double filesOfAStore;

    /**
     * Memory that row prefixes take in filters, as a share of the memory of the filters without
     * them.
     */
    double moreMemory;

    boolean pays;

    /** Number of counted scans that imply the prefix; null if scans are not known. */
    Long scans;

    /**
     * Returns true if scans would read clearly fewer files in all than with a prefix that is
     * preferred otherwise.
     */
    boolean isBetterThan(PrefixEntry preferred) {
      return scans == null
          ? filesPerPrefix < 0.9 * preferred.filesPerPrefix
          : scans * (filesOfAStore - filesPerPrefix)
              > 1.05 * preferred.scans * (filesOfAStore - preferred.filesPerPrefix);
    }

    /**
     * Returns true if the prefix is worth its memory where the files have a key segment too. Scans
     * that both serve skip most files by the segment, so the prefix must skip twice as surely as
     * without one. Where a delimiter ends the values before the segment, these have any length, and
     * a prefix of a fixed length ends inside some and behind others: it is worth nothing.
     */
    boolean paysBeside(SegmentEntry segment) {
      boolean isDelimited =
          segment.rule.before != null && segment.rule.before.fixedLength() == PrefixRule.NONE;
      return (length == null || !isDelimited)
          && filesPerPrefix <= MAX_SHARE_OF_FILES / 2 * filesOfAStore;
    }
  }

  /** Key segment with which scans read the fewest files, in the JSON document of {@code advise}. */
  private static final class SegmentEntry {
    transient SegmentRule rule;
    String setting;
    double filesPerRow;
    double filesByRange;
    boolean pays;

    /** Number of counted scans that imply the bytes before; null if scans are not known. */
    Long scans;
  }

  /**
   * Largest share of a store's files that may contain an average prefix: if more contain it,
   * prefixes in filters save a scan too few file reads.
   */
  private static final double MAX_SHARE_OF_FILES = 0.7;

  /**
   * Figures of one family, or of all families together, in the JSON document of {@code advise}. The
   * names that programs rely on come first: {@code files}, {@code keys}, {@code filters}.
   */
  private static final class Part {
    long files;

    /**
     * Number of keys in the filters of all store files: a key that several files have counts once
     * for each.
     */
    long keys;

    /** Filters that a family can choose, with their sizes and costs after a major compaction. */
    List<Entry> filters;

    String table;
    String family;
    long keysAfterCompaction;
    long stores;
    long storesRead;
    Entry now;

    /**
     * Filters that a family can choose, with their sizes and costs if each store file were
     * rewritten and none were compacted.
     */
    List<Entry> filtersAsFilesLie;

    Wish wish;
    String alter;

    /**
     * Costs and savings of row prefixes in filters, for each rule that separates rows. It is empty
     * unless a store has several files.
     */
    final List<PrefixEntry> prefixes = new ArrayList<>();

    /** Key segment with which most files are skipped; null if no rule fits nearly all rows. */
    SegmentEntry segment;

    String alterForScans;
    Double bytesRead;
    List<String> notRead;
    List<Part> families;
  }

  @Option(names = "--sample")
  @Range(min = 1, max = 1e9)
  private long sample = Long.MAX_VALUE;

  @Option(names = "--block-cache")
  private String blockCacheSize;

  private double blockCache = Double.NaN;

  @Option(names = "--memory")
  @Range(min = MIN_MEMORY, max = MAX_MEMORY)
  private double memory = Double.NaN;

  @Option(names = "--false-reads")
  @Range(min = MIN_RATE, max = MAX_RATE)
  private double falseReads = Double.NaN;

  @Option(names = "--threads")
  @Range(min = 1, max = 256)
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--all")
  private boolean all;

  @Option(names = "--all-choices")
  private boolean allChoices;

  @Option(names = "--scans")
  private List<String> pages = List.of();

  /** Counted scans of each family, by its key; null if they are not known. */
  private Map<String, CountedScans> countedScans;

  @Parameters private List<String> named = List.of();

  @Override
  protected void check() {
    exclude("memory", "false-reads");
    exclude("all", "memory", "false-reads", "all-choices", "scans");
    if (all != named.isEmpty()) {
      throw new IllegalArgumentException("name a table, or a path of store files, or say --all");
    }
    if (blockCacheSize != null) {
      blockCache = bytes("block-cache", blockCacheSize, 1);
    }
  }

  @Override
  int execute() throws IOException, InterruptedException {
    if (has("scans")) {
      countedScans = CountedScans.read(pages);
    }
    Notes notes = new Notes();
    List<FamilyFiles> families;
    try (Crew crew = new Crew(Crew.FOR_META_READS);
        Progress counting = Progress.counting(err, "files opened")) {
      families =
          FamilyFiles.of(
              conf,
              all ? tables(crew, counting) : new LinkedHashSet<>(named),
              crew,
              counting,
              notes);
    }
    List<Advice> read = new ArrayList<>();
    Map<String, List<Advice>> ofTables = new LinkedHashMap<>();
    List<Part> parts = new ArrayList<>();
    Map<FamilyFiles, PrefixCount> prefixes = new LinkedHashMap<>();
    Map<FamilyFiles, SegmentCount> segments = new LinkedHashMap<>();
    double bytes = 0;
    try (Crew crew = new Crew(threads);
        Progress counting = Progress.counting(err, "cells read")) {
      Map<FamilyFiles, List<List<FamilyFiles.FileSummary>>> chosen = new LinkedHashMap<>();
      for (FamilyFiles family : families) {
        chosen.put(family, sample(family));
      }
      for (List<List<FamilyFiles.FileSummary>> stores : chosen.values()) {
        for (List<FamilyFiles.FileSummary> store : stores) {
          counting.expect((long) StoreAdvice.cellsToRead(store));
          bytes += store.stream().mapToDouble(look -> look.bytes).sum();
        }
      }
      for (FamilyFiles family : families) {
        Advice advice =
            advice(conf, family, chosen.get(family), crew, counting, notes, prefixes, segments);
        if (advice.readStores > 0) {
          read.add(advice);
          ofTables.computeIfAbsent(family.table, table -> new ArrayList<>()).add(advice);
          parts.add(report(family, advice, prefixes.get(family), segments.get(family)));
        }
      }
      if (counting.seconds() > 2) {
        err.printf(
            Locale.ROOT,
            "  %,.0f MB of store files, %.0f MB/s, %d threads%n",
            bytes / 1e6,
            bytes / 1e6 / counting.seconds(),
            threads);
      }
    }
    notes.print(err, "advise");
    if (read.isEmpty()) {
      throw new IOException("there is no store file with keys that a filter could have");
    }
    Advice sum = Advice.of(read);
    Part whole = part(sum);
    whole.families = parts;
    whole.bytesRead = bytes;
    whole.notRead = notes.failures();
    if (all) {
      ofTables.forEach((table, ofTable) -> out.println(answer(table, Advice.of(ofTable))));
    }
    if (parts.size() > 1) {
      out.println(answer("in all", sum));
      if (allChoices) {
        out.print(table("in all", sum, whole).text());
      }
    }
    reportFit(sum);
    if (all) {
      out.println("winnow advise TABLE has the alter line of a table.");
    }
    if (sum.isSample() && parts.stream().anyMatch(one -> one.storesRead < 2)) {
      out.println(
          "Of a family of which one store was read, the error is not known: raise --sample.");
    }
    write(whole);
    return notes.hasFailures() ? FAILED : DONE;
  }

  /** Returns the names of all tables except HBase's own. */
  private List<String> tables(Crew crew, Progress counting)
      throws IOException, InterruptedException {
    return HBaseTable.all(conf, crew, counting).stream()
        .filter(table -> !table.isOfHBase())
        .map(HBaseTable::name)
        .collect(Collectors.toList());
  }

  /**
   * Returns a sentence that compares the recommended filter with HBase's own, both after a major
   * compaction.
   */
  private String answer(String label, Advice advice) {
    Advice.Sum ours = advice.afterCompaction.get(Choice.BUMPED_RIBBON);
    Advice.Sum stock = advice.afterCompaction.get(Choice.BLOOM);
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%s: %s would take %s, HBase's own %s after the same compaction (%+.0f %%), with"
                    + " %s times the unnecessary file reads",
                label,
                Choice.BUMPED_RIBBON.filter(),
                Table.size(ours.bytes),
                Table.size(stock.bytes),
                100 * (ours.bytes / stock.bytes - 1),
                Table.number(ours.falseReadsPerGet() / stock.falseReadsPerGet(), 2)));
    if (!Double.isNaN(blockCache)) {
      text.append("; the difference is ")
          .append(percent((stock.bytes - ours.bytes) / blockCache))
          .append(" of the block cache");
    }
    if (advice.isSample() && !Double.isNaN(ours.bytesError())) {
      text.append("; ")
          .append(Table.counted(advice.readStores, "store"))
          .append(" of ")
          .append(Table.number(advice.stores, 0))
          .append(
              String.format(
                  Locale.ROOT,
                  " read, so +-%.1f %%",
                  100 * ERRORS_OF_95_PERCENT * ours.bytesError()));
    }
    return text.append('.').toString();
  }

  /**
   * Reports if the filters will stay in the block cache that {@code --block-cache} names, beside
   * the data blocks, and if not, the consequences.
   */
  private void reportFit(Advice advice) {
    if (Double.isNaN(blockCache)) {
      return;
    }
    double share = advice.afterCompaction.get(Choice.BUMPED_RIBBON).bytes / blockCache;
    out.printf(
        Locale.ROOT,
        "the filters would be %.2f of the block cache: %s%n",
        share,
        share <= MAX_SHARE_THAT_FITS
            ? "they fit"
            : "if all rows are read alike, they do not fit. Each server sees that, loads fewer"
                + " chunks of filters, and gives new files one rate (docs/rates.md)");
  }

  /**
   * Returns the files of stores that are drawn at random, until there are as many files as {@code
   * --sample} names.
   */
  private List<List<FamilyFiles.FileSummary>> sample(FamilyFiles family) {
    List<List<FamilyFiles.FileSummary>> stores = new ArrayList<>(family.stores());
    if (family.files() <= sample) {
      return stores;
    }
    Collections.shuffle(stores, new Random(20130529)); // a fixed seed: the same stores in each run
    List<List<FamilyFiles.FileSummary>> some = new ArrayList<>();
    long files = 0;
    for (List<FamilyFiles.FileSummary> store : stores) {
      if (files < sample) {
        some.add(store);
        files += store.size();
      }
    }
    return some;
  }

  private Advice advice(
      Configuration conf,
      FamilyFiles family,
      List<List<FamilyFiles.FileSummary>> stores,
      Crew crew,
      Progress counting,
      Notes notes,
      Map<FamilyFiles, PrefixCount> prefixes,
      Map<FamilyFiles, SegmentCount> segments)
      throws IOException, InterruptedException {
    List<StoreAdvice.Outcome> outcomes =
        crew.map(
            stores,
            store -> {
              try {
                return read(conf, family.settings, store, counting);
              } catch (IOException e) {
                notes.recordFailure(sentence(e));
                return null;
              } catch (IllegalArgumentException e) { // a wrong setting
                throw new IOException(family.label() + ": " + e.getMessage(), e);
              }
            });
    List<StoreAdvice.Outcome> read = new ArrayList<>();
    double keys = 0;
    for (int i = 0; i < stores.size(); i++) {
      if (outcomes.get(i) != null) {
        read.add(outcomes.get(i));
        StoreAdvice.Outcome store = outcomes.get(i);
        if (store.prefixes != null) {
          prefixes.merge(
              family,
              store.prefixes,
              (one, other) -> {
                one.add(other);
                return one;
              });
        }
        if (store.segments != null) {
          segments.merge(
              family,
              store.segments,
              (one, other) -> {
                one.add(other);
                return one;
              });
        }
        keys += FamilyFiles.keys(stores.get(i));
      }
    }
    return Advice.of(family, keys, read);
  }

  private static StoreAdvice.Outcome read(
      Configuration conf,
      FamilySettings family,
      List<FamilyFiles.FileSummary> store,
      Progress counting)
      throws IOException {
    List<OpenFile> files = new ArrayList<>();
    try {
      for (FamilyFiles.FileSummary file : store) {
        files.add(OpenFile.open(conf, file.file));
      }
      return StoreAdvice.of(conf, family, files, counting::add);
    } finally {
      for (OpenFile file : files) {
        file.close();
      }
    }
  }

  /**
   * Reports the cost and the savings for scans of row prefixes in filters, for each rule that
   * separates rows: 1 byte, each length with more prefixes than the one before, and each usual
   * delimiter of nearly all rows.
   *
   * @param counted the scans of the family; null if they are not known
   * @param segment the key segment that is proposed too; null for none
   * @return the rule with which scans read the fewest files; null if none pays
   */
  private PrefixEntry reportPrefixes(
      PrefixCount count, CountedScans counted, SegmentEntry segment, Part part) {
    Table table =
        new Table(
            "prefixes for scans",
            Setting.SCAN_PREFIX.key,
            "prefixes",
            "rows per prefix",
            "files that have it",
            "of a store's",
            "more memory",
            "counted scans",
            "pays");
    double keys = Math.max(1, count.rowsInFiles());
    double filesOfAStore = (double) count.files() / Math.max(1, part.storesRead);
    PrefixEntry best = null;
    for (int i = 0; i < PrefixCount.RULES.size(); i++) {
      boolean isOfLength = i < PrefixCount.MAX_LENGTH;
      if (isOfLength
          ? count.prefixes(i) == 0 || i > 0 && count.separatesAsShorter(i)
          : !count.isOfNearlyAllRows(i)) {
        continue;
      }
      PrefixEntry entry = new PrefixEntry();
      entry.rule = PrefixCount.RULES.get(i);
      entry.setting = entry.rule.toString();
      entry.length = isOfLength ? i + 1 : null;
      entry.prefixes = count.prefixes(i);
      entry.filesPerPrefix = (double) count.inFiles(i) / count.prefixes(i);
      entry.filesOfAStore = filesOfAStore;
      entry.rowsPerPrefix = keys / Math.max(1, count.inFiles(i));
      entry.moreMemory = count.inFiles(i) / keys;
      // A chunk leaves prefixes out if they are more than half as many as its rows.
      entry.pays =
          entry.moreMemory <= 0.5 && entry.filesPerPrefix <= MAX_SHARE_OF_FILES * filesOfAStore;
      entry.scans = counted == null ? null : counted.scans(entry.rule);
      if (entry.pays
          && (counted == null || counted.imply(entry.rule))
          && (segment == null || entry.paysBeside(segment))
          && (best == null || entry.isBetterThan(best))) {
        best = entry;
      }
      part.prefixes.add(entry);
      table.row(
          entry.setting,
          Table.number(entry.prefixes, 0),
          Table.number(entry.rowsPerPrefix, 1),
          Table.number(entry.filesPerPrefix, 2),
          Table.number(filesOfAStore, 1),
          String.format(Locale.ROOT, "%.1f %%", 100 * entry.moreMemory),
          entry.scans == null ? "-" : Table.number(entry.scans, 0),
          entry.pays ? "yes" : "no");
    }
    if (allChoices) {
      out.print(table.text());
    }
    if (best == null && segment == null && allChoices) {
      out.println("  no prefix pays: each is in most of its store's files, or in too few rows");
    }
    return best;
  }

  /**
   * Returns the key segment with which scans and Gets skip most files, of those that scans can use;
   * null if there is none.
   *
   * @param counted the scans of the family; null if they are not known
   */
  private static SegmentEntry segment(SegmentCount count, CountedScans counted) {
    SegmentRule rule = count.best(one -> counted == null || counted.imply(one));
    if (rule == null) {
      return null;
    }
    SegmentEntry entry = new SegmentEntry();
    entry.rule = rule;
    entry.setting = rule.toString();
    entry.filesPerRow = count.files(rule);
    entry.filesByRange = count.filesByRange();
    entry.pays = entry.filesPerRow <= MAX_SHARE_OF_FILES * entry.filesByRange;
    entry.scans = counted == null ? null : counted.scans(rule);
    return entry;
  }

  /**
   * Reports in one line what prefixes and segments of rows would bring to scans. If the scans are
   * counted and imply them, it prints the {@code alter} line that sets those that pay; else the
   * line says what scans must imply.
   *
   * @param prefixes null if filters of the family cannot have prefixes
   */
  private void reportScans(
      FamilyFiles family, PrefixCount prefixes, SegmentCount segments, Part part) {
    CountedScans counted =
        countedScans == null
            ? null
            : countedScans.getOrDefault(
                CountedScans.key(family.table, family.name), CountedScans.NONE);
    part.segment = segment(segments, counted);
    SegmentEntry segment = part.segment != null && part.segment.pays ? part.segment : null;
    PrefixEntry prefix = prefixes == null ? null : reportPrefixes(prefixes, counted, segment, part);
    Map<String, String> settings = new LinkedHashMap<>();
    List<String> gains = new ArrayList<>();
    if (prefix != null) {
      settings.put(Setting.SCAN_PREFIX.key, prefix.setting);
      gains.add(
          String.format(
              Locale.ROOT,
              "%s = %s would leave %.1f of %.1f files with winnow.filter, of scans that imply"
                  + " %s%s",
              Setting.SCAN_PREFIX.key,
              prefix.setting,
              prefix.filesPerPrefix,
              prefix.filesOfAStore,
              (prefix.length == null ? "all " : "") + prefix.rule.label(),
              share(prefix.scans, counted)));
    }
    if (segment != null) {
      settings.put(Setting.SCAN_SEGMENT.key, segment.setting);
      gains.add(
          String.format(
              Locale.ROOT,
              "%s = %s would leave %.1f of %.1f files, of scans that name a range of %s%s (a client"
                  + " that sets a time range has most of that already)",
              Setting.SCAN_SEGMENT.key,
              segment.setting,
              segment.filesPerRow,
              segment.filesByRange,
              segment.rule.label(),
              share(segment.scans, counted)));
    }
    if (gains.isEmpty()) {
      out.println("  for scans: " + whyNothing(counted));
    } else if (counted == null) {
      out.printf(
          "  for scans: %s. Do yours imply that? With --scans http://SERVER:16030/winnow advise"
              + " compares with the counted ones, and prints the alter line.%n",
          String.join("; ", gains));
    } else {
      out.println("  for scans: " + String.join("; ", gains) + ":");
      part.alterForScans = family.settings.alter(family.name).line(settings);
      out.println("  " + part.alterForScans);
    }
  }

  /** Returns in words the share of counted scans that can use a setting; empty if none counted. */
  private static String share(Long scans, CountedScans counted) {
    return counted == null
        ? ""
        : String.format(Locale.ROOT, " (%,d of %,d counted)", scans, counted.all());
  }

  private static String whyNothing(CountedScans counted) {
    if (counted == null) {
      return "neither prefixes nor key segments would skip many files";
    } else if (counted.all() == 0) {
      return "none is counted, so no setting is proposed";
    } else if (counted.withPrefix() == 0) {
      return String.format(
          Locale.ROOT,
          "none of the %,d counted ones implies a prefix of its rows, so no setting is proposed",
          counted.all());
    }
    return String.format(
        Locale.ROOT,
        "no prefix and no key segment that most of the %,d counted ones imply would skip many"
            + " files",
        counted.withPrefix());
  }

  private Part report(
      FamilyFiles family, Advice advice, PrefixCount prefixes, SegmentCount segments) {
    Part part = part(advice);
    part.table = family.table;
    part.family = family.name;
    if (!all) {
      out.println(answer(family.label(), advice));
      out.println(
          String.format(
              Locale.ROOT,
              "  now: %s in %s, %,d keys, %s of filters",
              Table.counted(part.files, "file"),
              Table.counted(part.stores, "store"),
              part.keys,
              Table.size(part.now.bytes)));
    }
    if (allChoices) {
      out.print(table(family.label(), advice, part).text());
    }
    Map<String, String> settings = new LinkedHashMap<>(Choice.BUMPED_RIBBON.configuration);
    if (!Double.isNaN(memory) || !Double.isNaN(falseReads)) {
      wish(family, advice, part);
      if (part.wish != null) {
        settings.put(FamilySettings.MEMORY, Table.exact(part.wish.storeMemory));
      }
    }
    Map<String, String> toAlter = family.settings.toAlter(settings);
    part.alter = family.settings.alter(family.name).line(toAlter);
    if (all) {
      return part;
    }
    if (family.settings.has(toAlter)) {
      out.println("  the family asks for it already; audit says whether its files have it");
    } else {
      out.println("  " + part.alter);
      out.println("  major_compact '" + (family.table.isEmpty() ? "TABLE" : family.table) + "'");
    }
    if (family.foreignReaders != null) {
      out.println("  no prefix and no key segment is proposed: " + family.foreignReaders);
    } else if (segments != null && part.files > part.stores) {
      reportScans(family, prefixes, segments, part);
    }
    out.println();
    return part;
  }

  /**
   * Finds and reports the {@code winnow.store.memory} with which filters have the memory or the
   * rate of unnecessary file reads that {@code --memory} or {@code --false-reads} names.
   */
  private void wish(FamilyFiles family, Advice advice, Part part) {
    double share = Double.isNaN(falseReads) ? memory : memoryFor(family, advice);
    if (Double.isNaN(share)) {
      out.printf(
          Locale.ROOT,
          "With %s = %s there are %.4g false reads per Get of an absent row, and no more memory is"
              + " of use.%n",
          FamilySettings.MEMORY,
          Table.exact(MAX_MEMORY),
          advice.expected(family.settings, MAX_MEMORY).falseReadsPerGet());
      return;
    }
    double stock = advice.afterCompaction.get(Choice.BLOOM).bytes;
    Advice.Sum met = advice.expected(family.settings, share);
    part.wish = new Wish(share, Math.round(met.bytes), met.bytes / stock, met.falseReadsPerGet());
    out.printf(
        Locale.ROOT,
        "With %s = %s, after a major compaction: about %,.0f bytes (%.2f of HBase's own), %.4g"
            + " false reads per Get of an absent row. Files that come later may take up to %s of"
            + " HBase's own, too.%n",
        FamilySettings.MEMORY,
        Table.exact(share),
        met.bytes,
        met.bytes / stock,
        met.falseReadsPerGet(),
        Table.exact(share));
  }

  /**
   * Returns the smallest {@code winnow.store.memory} with which Gets read no more files
   * unnecessarily than {@code --false-reads} allows.
   *
   * @return the share; NaN if even the largest one is not enough
   */
  private double memoryFor(FamilyFiles family, Advice advice) {
    int low = (int) Math.round(MIN_MEMORY * STEPS);
    int high = (int) Math.round(MAX_MEMORY * STEPS);
    if (advice.expected(family.settings, MAX_MEMORY).falseReadsPerGet() > falseReads) {
      return Double.NaN;
    }
    while (low < high) { // more memory means fewer false reads
      int middle = (low + high) / 2;
      double share = middle / STEPS;
      if (advice.expected(family.settings, share).falseReadsPerGet() > falseReads) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return high / STEPS;
  }

  private Part part(Advice advice) {
    Part part = new Part();
    part.files = advice.files;
    part.keys = Math.round(advice.keys);
    part.keysAfterCompaction = Math.round(advice.distinct);
    part.stores = advice.stores;
    part.storesRead = advice.readStores;
    part.now = entry("now", "as they are", advice.now, advice.keys, advice.now);
    part.filters = entries(advice.afterCompaction, advice.distinct, advice.now);
    part.filtersAsFilesLie = entries(advice.asFilesLie, advice.keys, advice.now);
    return part;
  }

  private List<Entry> entries(Map<Choice, Advice.Sum> sums, double keys, Advice.Sum now) {
    List<Entry> entries = new ArrayList<>();
    sums.forEach(
        (choice, sum) -> entries.add(entry(choice.filter(), choice.setting, sum, keys, now)));
    return entries;
  }

  private Entry entry(String filter, String setting, Advice.Sum sum, double keys, Advice.Sum now) {
    Entry entry = new Entry();
    entry.filter = filter;
    entry.bytes = Math.round(sum.bytes);
    entry.bitsPerKey = 8 * sum.bytes / Math.max(1, keys);
    entry.falseReadsPerAbsentGet = sum.falseReadsPerGet();
    entry.setting = setting;
    if (sum.buildNanos != 0) {
      entry.buildSeconds = sum.buildNanos / 1e9;
      entry.buildNanosPerKey = sum.buildNanos / Math.max(1, keys);
    }
    entry.blockCacheFreed = Double.isNaN(blockCache) ? null : (now.bytes - sum.bytes) / blockCache;
    entry.bytesError = error(sum.bytesError());
    entry.falseReadsError = error(sum.falseReadsError());
    return entry;
  }

  private static Double error(double error) {
    return Double.isNaN(error) || error == 0 ? null : ERRORS_OF_95_PERCENT * error;
  }

  private Table table(String label, Advice advice, Part part) {
    String title =
        String.format(
            Locale.ROOT,
            "%s: %s in %s, %,d keys in their filters, %,d distinct in their stores%s",
            label,
            Table.counted(part.files, "file"),
            Table.counted(part.stores, "store"),
            part.keys,
            part.keysAfterCompaction,
            advice.isSample() ? "; read: " + Table.counted(part.storesRead, "store") : "");
    List<String> header =
        new ArrayList<>(
            List.of(
                "filter, setting",
                "bytes",
                "bits per key",
                "over HBase's own",
                "false reads per absent Get",
                "build, ns per key",
                "build, s"));
    if (!Double.isNaN(blockCache)) {
      header.add("of the block cache freed");
    }
    if (advice.isSample()) {
      header.add("bytes may be off by");
      header.add("false reads by");
    }
    Table table = new Table(title, header.toArray(String[]::new));
    long stock = part.filters.get(0).bytes;
    long stockAsFilesLie = part.filtersAsFilesLie.get(0).bytes;
    row(table, advice, stockAsFilesLie, part.now, "");
    part.filters.forEach(entry -> row(table, advice, stock, entry, "compacted: "));
    if (part.files > part.stores) {
      part.filtersAsFilesLie.forEach(
          entry -> row(table, advice, stockAsFilesLie, entry, "as it lies: "));
    }
    return table;
  }

  private void row(Table table, Advice advice, long stock, Entry entry, String when) {
    List<String> cells =
        new ArrayList<>(
            List.of(
                when + entry.filter + ", " + entry.setting,
                Table.number(entry.bytes, 0),
                Table.number(entry.bitsPerKey, 3),
                Table.number((double) entry.bytes / stock, 2),
                String.format(Locale.ROOT, "%.5f", entry.falseReadsPerAbsentGet),
                number(entry.buildNanosPerKey, 0),
                number(entry.buildSeconds, 2)));
    if (!Double.isNaN(blockCache)) {
      cells.add(percent(entry.blockCacheFreed));
    }
    if (advice.isSample()) {
      cells.add(percent(entry.bytesError));
      cells.add(percent(entry.falseReadsError));
    }
    table.row(cells.toArray(String[]::new));
  }

  private static String number(Double value, int decimals) {
    return Table.number(value == null ? Double.NaN : value, decimals);
  }

  private static String percent(Double share) {
    if (share == null) {
      return "-";
    }
    double percent = 100 * share;
    // Small values have two significant digits: 0.0 would hide them.
    int decimals =
        percent == 0 || Math.abs(percent) >= 1
            ? 1
            : Math.min(9, 1 - (int) Math.floor(Math.log10(Math.abs(percent))));
    return String.format(Locale.ROOT, "%." + decimals + "f %%", percent == 0 ? 0 : percent);
  }
}

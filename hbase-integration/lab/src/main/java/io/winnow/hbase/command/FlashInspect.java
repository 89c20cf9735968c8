package io.winnow.hbase.command;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeReader;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.flash.bloom.BitPages;
import io.winnow.flash.buffered.BufferedBloomReader;
import io.winnow.flash.buffered.BufferedBloomSizing;
import io.winnow.flash.bufferhash.BufferHashCount;
import io.winnow.flash.bufferhash.BufferHashLayout;
import io.winnow.flash.bufferhash.BufferHashReader;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.store.Damage;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow flash inspect}, and {@code ./winnow cascade inspect}: prints what is
 * in the directories of cascade filters, buffered Bloom filters and BufferHashes, and in the files
 * of plain and elevator Bloom filters. With {@code --verify} it also checks that every page can be
 * read.
 */
@Command(name = "winnow flash inspect")
public final class FlashInspect extends Program {
  /** Exit code: damage was found. */
  private static final int FOUND = 3;

  /** Number of pages at the start of a file that describe it. */
  private static final int HEADS = 2;

  /** Number of bytes at the start of a manifest that are read to find its kind. */
  private static final int MAX_KIND_BYTES = 32;

  private static final double[] LOOKUPS_PER_INSERT = {0, 0.01, 0.1, 1, 10};

  @Option(names = "--verify")
  private boolean verifies;

  @Option(names = "--json")
  private Path json;

  @Parameters private List<String> named = List.of();

  /** The report on one directory or file, as it is in the JSON document. */
  interface Seen {
    /** Returns the report as text for people, line by line. */
    String text();

    /** Returns the result of the verification, or null without {@code --verify}. */
    Verified verified();
  }

  record SeenCascade(
      String directory,
      String structure,
      String keyHash,
      int fingerprintBits,
      boolean deletes,
      int pageBytes,
      long entries,
      long bytesOnFlash,
      double bitsPerEntry,
      double expectedRate,
      double doubtfulShare,
      long fanOut,
      long memoryEntries,
      List<SeenLevel> levels,
      List<SeenLog> logs,
      List<Suited> fanOuts,
      Verified verified)
      implements Seen {
    @Override
    public String text() {
      return FlashInspect.text(this);
    }
  }

  record SeenBloom(
      String directory,
      String structure,
      String keyHash,
      int hashFunctions,
      int groups,
      int groupPages,
      int pageBytes,
      long keys,
      long bytesOnFlash,
      double expectedRate,
      boolean whole,
      long mark,
      Verified verified)
      implements Seen {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder();
      line(
          text,
          "%,d groups of %,d pages of %,d bytes, %d hash functions, %s",
          groups,
          groupPages,
          pageBytes,
          hashFunctions,
          keyHash == null ? "made for hashes" : "keys hashed by " + keyHash);
      line(text, "%,d keys at the last sync, %,d bytes on flash", keys, bytesOnFlash);
      line(text, "false positives expected: %.3g %% of absent keys", 100 * expectedRate);
      line(
          text,
          whole
              ? "whole; the mark of the last sync is %d"
              : "NOT WHOLE: every answer is \"present\" until the keys after the mark %d are"
                  + " inserted again (docs/flash.md)",
          mark);
      return text.toString();
    }
  }

  record SeenPages(
      String file,
      String structure,
      long bits,
      int hashFunctions,
      int pageBytes,
      long bytesOnFlash,
      Verified verified)
      implements Seen {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder();
      line(
          text,
          "a plain or an elevator Bloom filter of %,d bits, %d hash functions, pages of %,d bytes",
          bits,
          hashFunctions,
          pageBytes);
      line(text, "%,d bytes on flash", bytesOnFlash);
      return text.toString();
    }
  }

  record SeenTable(
      String directory,
      String structure,
      boolean keyed,
      int superTables,
      int slots,
      int pageBytes,
      long incarnations,
      long lostIncarnations,
      long records,
      long logged,
      long bytesOnFlash,
      Verified verified)
      implements Seen {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder();
      line(
          text,
          "%s, %,d super tables with room for %,d incarnations each, pages of %,d bytes",
          keyed ? "keys of bytes" : "fingerprints",
          superTables,
          slots,
          pageBytes);
      line(
          text,
          "%,d records in %,d incarnations, %,d keys in logs, a table of %,d bytes",
          records,
          incarnations,
          logged,
          bytesOnFlash);
      if (lostIncarnations > 0) {
        line(
            text,
            "LOST: nobody knows what keys %,d incarnations had, and lookups that need them fail;"
                + " forgetLost() ends that (docs/flash.md)",
            lostIncarnations);
      }
      return text.toString();
    }
  }

  record SeenLevel(
      String file,
      int rank,
      long entries,
      long capacity,
      double fill,
      long pages,
      long bytes,
      double bitsPerEntry) {}

  record SeenLog(long number, long operations, long bytes, boolean torn) {}

  /** The fan-out that is recommended for a number of lookups per insert, with its expected cost. */
  record Suited(double lookupsPerInsert, int fanOut, double pagesPerLookup, double writesPerKey) {}

  record Verified(long pages, List<Damage> damaged) {}

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(new FlashInspect().run(System.out, System.err, arguments));
  }

  @Override
  protected void check() {
    if (named.isEmpty()) {
      throw new IllegalArgumentException(
          "name the directory of a cascade filter, a buffered Bloom filter or a BufferHash, or the"
              + " file of a plain or an elevator Bloom filter");
    }
  }

  @Override
  protected int work() throws IOException {
    UserFiles.requireWritable(json);
    List<Seen> all = new ArrayList<>();
    boolean damaged = false;
    try (Progress progress = Progress.counting(err, "pages")) {
      for (String name : named) {
        Seen seen = inspect(Path.of(name), progress);
        all.add(seen);
        out.print(name + "\n" + seen.text() + text(seen.verified()) + "\n");
        damaged |= seen.verified() != null && !seen.verified().damaged().isEmpty();
      }
    }
    if (json != null) {
      ObjectMapper mapper =
          new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              // The library's statistics are plain classes, whose accessors are no getters.
              .setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
      Files.writeString(json, mapper.writeValueAsString(all) + "\n");
    }
    return damaged ? FOUND : DONE;
  }

  // ---- Each structure ----

  private Seen inspect(Path directory, Progress progress) throws IOException {
    if (Files.isRegularFile(directory)) {
      try (BitPages pages = BitPages.openToRead(directory)) {
        return inspect(directory, pages, progress);
      }
    }
    if (Files.notExists(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
    if (!Files.isDirectory(directory)) {
      throw new NotDirectoryException(directory.toString());
    }
    if (Files.isRegularFile(directory.resolve("filter"))) {
      try (BufferedBloomReader reader = BufferedBloomReader.open(directory)) {
        return inspect(reader, progress);
      }
    }
    if (isTable(directory)) {
      try (BufferHashReader reader = BufferHashReader.open(directory)) {
        return inspect(reader, progress);
      }
    }
    if (Files.isDirectory(directory.resolve("filter"))) { // a de-duplicator's
      checkIdentity(directory.resolve("DEDUP"));
      return inspect(directory.resolve("filter"), progress);
    }
    if (Files.notExists(directory.resolve("MANIFEST"))) {
      throw new IOException(
          directory
              + " has no MANIFEST and no filter: give the directory of a cascade filter, a buffered"
              + " Bloom filter, a BufferHash or a de-duplicator, or the file of a plain or an elevator"
              + " Bloom filter");
    }
    try (CascadeReader reader = CascadeReader.open(directory)) {
      return inspect(reader, progress);
    }
  }

  /** Checks the text file {@code DEDUP} of a de-duplicator's directory, if there is one. */
  private static void checkIdentity(Path identity) throws IOException {
    if (Files.exists(identity)) {
      TextFile.read(identity, "winnow-dedup", 1, "begin with a new directory");
    }
  }

  /**
   * Returns whether the directory is that of a BufferHash. Its manifest decides; if the manifest
   * names no known kind, the file {@code table} does.
   */
  private static boolean isTable(Path directory) throws IOException {
    Path manifest = directory.resolve("MANIFEST");
    if (Files.isRegularFile(manifest)) {
      try (InputStream in = Files.newInputStream(manifest)) {
        String kind = new String(in.readNBytes(MAX_KIND_BYTES), StandardCharsets.ISO_8859_1);
        if (kind.startsWith("winnow-cascade ") || kind.startsWith("winnow-bufferhash ")) {
          return kind.startsWith("winnow-bufferhash ");
        }
      }
    }
    return Files.isRegularFile(directory.resolve("table"));
  }

  private SeenBloom inspect(BufferedBloomReader reader, Progress progress) throws IOException {
    BufferedBloomSizing sizing = reader.sizing();
    Verified verified = null;
    if (verifies) {
      progress.expect(reader.pages());
      verified = new Verified(reader.pages() + HEADS, reader.verify(progress::add));
    }
    return new SeenBloom(
        reader.path().toString(),
        "buffered-bloom",
        reader.keyHash() == null ? null : reader.keyHash().label(),
        sizing.hashFunctions(),
        sizing.groups(),
        sizing.groupPages(),
        sizing.pageBytes(),
        reader.keys(),
        sizing.sizeInBytes(),
        reader.keys() == 0 ? 0 : sizing.expectedRate(reader.keys()),
        reader.isWhole(),
        reader.mark(),
        verified);
  }

  private SeenPages inspect(Path file, BitPages pages, Progress progress) throws IOException {
    Verified verified = null;
    if (verifies) {
      progress.expect(pages.pages());
      verified = new Verified(pages.pages(), pages.verify(progress::add));
    }
    return new SeenPages(
        file.toString(),
        "bit-pages",
        pages.sizing().bits(),
        pages.sizing().hashFunctions(),
        pages.pageBytes(),
        Files.size(file),
        verified);
  }

  private SeenTable inspect(BufferHashReader reader, Progress progress) throws IOException {
    BufferHashLayout layout = reader.layout();
    FlashStatistics<BufferHashCount> statistics = reader.statistics();
    Verified verified = null;
    if (verifies) {
      progress.expect(reader.pages());
      verified = new Verified(reader.pages() + HEADS, reader.verify(progress::add));
    }
    return new SeenTable(
        reader.path().toString(),
        "bufferhash",
        reader.keyed(),
        layout.superTables(),
        layout.incarnations(),
        layout.pageBytes(),
        statistics.get(BufferHashCount.INCARNATIONS),
        statistics.get(BufferHashCount.LOST_INCARNATIONS),
        statistics.get(BufferHashCount.FLASH_ENTRIES),
        reader.logged(),
        Files.size(reader.path().resolve("table")),
        verified);
  }

  private SeenCascade inspect(CascadeReader reader, Progress progress) {
    CascadeStatistics statistics = reader.statistics();
    long flashEntries = statistics.get(CascadeCount.FLASH_ENTRIES);
    long flashBytes = statistics.get(CascadeCount.FLASH_BYTES);
    long memoryCapacity = statistics.get(CascadeCount.MEMORY_CAPACITY);
    long entries = statistics.get(CascadeCount.MEMORY_ENTRIES) + flashEntries;
    List<SeenLevel> levels = new ArrayList<>();
    for (CascadeStatistics.Level level : statistics.levels()) {
      levels.add(
          new SeenLevel(
              "level-" + level.file(),
              level.rank(),
              level.entries(),
              level.capacity(),
              level.fill(),
              level.pages(),
              level.bytes(),
              8.0 * level.bytes() / level.entries()));
    }
    long pages = levels.stream().mapToLong(SeenLevel::pages).sum();
    Verified verified = null;
    if (verifies) {
      progress.expect(pages);
      verified = new Verified(pages, reader.verify(progress::add));
    }
    return new SeenCascade(
        reader.path().toString(),
        "cascade",
        reader.keyHash().label(),
        reader.fingerprintBits(),
        reader.deletes(),
        reader.pageBytes(),
        entries,
        flashBytes,
        8.0 * flashBytes / Math.max(1, flashEntries),
        statistics.expectedRate(),
        statistics.doubtfulShare(),
        statistics.get(CascadeCount.FAN_OUT),
        memoryCapacity,
        levels,
        reader.logs().stream()
            .map(log -> new SeenLog(log.number(), log.records(), log.end(), log.torn()))
            .toList(),
        suited((double) entries / memoryCapacity),
        verified);
  }

  /**
   * Returns the recommended fan-outs for some ratios of lookups to inserts.
   *
   * @param memories number of entries as a multiple of the entries that fit in memory
   */
  private static List<Suited> suited(double memories) {
    List<Suited> suited = new ArrayList<>();
    for (double lookups : LOOKUPS_PER_INSERT) {
      int fanOut = CascadeMix.of(lookups).fanOut(memories);
      suited.add(
          new Suited(
              lookups,
              fanOut,
              CascadeMix.pages(fanOut, memories),
              CascadeMix.writes(fanOut, memories)));
    }
    return suited;
  }

  // ---- For people ----

  private static String text(Verified verified) {
    StringBuilder text = new StringBuilder();
    if (verified != null) {
      line(text, "verified: %,d pages, %,d damaged", verified.pages, verified.damaged.size());
      verified.damaged.forEach(
          damage ->
              line(text, "  page %,d of %s: %s", damage.page(), damage.file(), damage.reason()));
    }
    return text.toString();
  }

  private static String text(SeenCascade seen) {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "fingerprints of %d bits, keys hashed by %s, %s, pages of %,d bytes",
        seen.fingerprintBits,
        seen.keyHash,
        seen.deletes ? "deletes" : "no deletes",
        seen.pageBytes);
    line(
        text,
        "%,d entries, %,d bytes on flash, %.2f bits for each entry there",
        seen.entries,
        seen.bytesOnFlash,
        seen.bitsPerEntry);
    line(text, "false positives expected: %.3g %% of absent keys", 100 * seen.expectedRate);
    if (seen.doubtfulShare > 0) {
      line(
          text,
          "IN DOUBT since pages were lost: %.5f %% of all keys are answered \"present\";"
              + " insert all keys into a new directory",
          100 * seen.doubtfulShare);
    }
    line(
        text,
        "last written with a fan-out of %d and %,d entries in memory",
        seen.fanOut,
        seen.memoryEntries);
    return text.append(levels(seen)).append(logs(seen)).append(fanOuts(seen)).toString();
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String levels(SeenCascade seen) {
    if (seen.levels.isEmpty()) {
      return "  no levels on flash\n";
    }
    Table table =
        new Table(
            "  levels, newest first",
            "  file",
            "rank",
            "entries",
            "capacity",
            "fill",
            "pages",
            "bytes",
            "bits per entry");
    for (SeenLevel level : seen.levels) {
      table.row(
          "  " + level.file,
          Table.number(level.rank, 0),
          Table.number(level.entries, 0),
          Table.number(level.capacity, 0),
          Table.number(100 * level.fill, 1) + " %",
          Table.number(level.pages, 0),
          Table.number(level.bytes, 0),
          Table.number(level.bitsPerEntry, 2));
    }
    return table.text();
  }

  private static String logs(SeenCascade seen) {
    if (seen.logs.isEmpty()) {
      return "  no logs: all of it is in levels\n";
    }
    Table table = new Table("  logs, oldest first", "  file", "operations", "bytes", "end");
    for (SeenLog log : seen.logs) {
      table.row(
          "  log-" + log.number(),
          Table.number(log.operations(), 0),
          Table.number(log.bytes(), 0),
          log.torn() ? "cut by a crash, or being written" : "whole");
    }
    return table.text();
  }

  private static String fanOuts(SeenCascade seen) {
    Table table =
        new Table(
            "  fan-outs that suit a mix, with so many entries, in batches (docs/cascade.md)",
            "  lookups per insert",
            "fan-out",
            "pages per lookup",
            "writes per key");
    for (Suited suited : seen.fanOuts) {
      table.row(
          "  " + Table.exact(suited.lookupsPerInsert),
          Table.number(suited.fanOut, 0),
          Table.number(suited.pagesPerLookup, 2),
          Table.number(suited.writesPerKey, 1));
    }
    return table.text();
  }
}

package io.winnow.flash;

import io.winnow.FilterFormatException;
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
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.FlashStatistics;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A report on the directory of a cascade filter, a buffered Bloom filter, a BufferHash or a
 * de-duplicator, or on the file of a plain or an elevator Bloom filter: what is in it and, on
 * request, which pages are damaged.
 *
 * <p>Nothing is written. Only a cascade filter may be open at the same time. Immutable.
 */
public final class FlashInspect {
  /** Exit code: damage was found. */
  private static final int FOUND = 3;

  /** Number of pages at the start of a file that describe it. */
  private static final int HEADS = 2;

  /** Number of bytes at the start of a manifest that are read to find its kind. */
  private static final int MAX_KIND_BYTES = 32;

  private static final double[] LOOKUPS_PER_INSERT = {0, 0.01, 0.1, 1, 10};

  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();
  private boolean damaged;

  /** Receives the number of pages before they are verified, or null without a verification. */
  private final LongConsumer pagesExpected;

  private final LongConsumer pagesRead;

  /** Verification of a structure: passes on the number of pages read, and returns the damage. */
  private interface Verification {
    List<DamagedPageException> run(LongConsumer pagesRead) throws IOException;
  }

  private FlashInspect(Path path, LongConsumer pagesExpected, LongConsumer pagesRead)
      throws IOException {
    this.pagesExpected = pagesExpected;
    this.pagesRead = pagesRead;
    inspect(path);
  }

  /**
   * Reads what describes the structure in a directory or a file.
   *
   * @throws FilterFormatException if this is damaged, or of another version
   * @throws IOException if there is no such structure, or it cannot be read
   */
  public static FlashInspect of(Path path) throws IOException {
    return new FlashInspect(path, null, null);
  }

  /**
   * Reads what describes the structure in a directory or a file, and then reads and checks all its
   * pages.
   *
   * @param pagesExpected receives the number of pages that will be read
   * @param pagesRead receives the number of pages read since the last call
   * @throws FilterFormatException as {@link #of}
   * @throws IOException as {@link #of}
   */
  public static FlashInspect verified(Path path, LongConsumer pagesExpected, LongConsumer pagesRead)
      throws IOException {
    return new FlashInspect(path, pagesExpected, pagesRead);
  }

  /**
   * Prints the report on each directory or file of a command line; {@code --verify} before them
   * verifies all pages. The exit code is 3 if some are damaged, and 1 if one could not be read.
   */
  public static void main(String[] arguments) {
    List<String> names = new ArrayList<>(List.of(arguments));
    boolean verifies = names.remove("--verify");
    int exitCode = 0;
    for (String name : names) {
      try {
        Path path = Path.of(name);
        FlashInspect seen = verifies ? verified(path, pages -> {}, pages -> {}) : of(path);
        System.out.println(name + "\n" + seen);
        exitCode = Math.max(exitCode, seen.damaged ? FOUND : 0);
      } catch (IOException | IllegalArgumentException e) {
        System.err.println(name + ": " + e);
        exitCode = 1;
        break;
      }
    }
    System.exit(exitCode);
  }

  /**
   * Returns the report for programs: by name, numbers, texts, booleans, null, and lists of maps. It
   * is what {@code ./winnow flash inspect --json} writes.
   */
  public Map<String, Object> fields() {
    return Collections.unmodifiableMap(fields);
  }

  /** Returns whether the verification found damage. */
  public boolean isDamaged() {
    return damaged;
  }

  /** Returns the report for people, in lines. */
  @Override
  public String toString() {
    return text.toString();
  }

  // ---- Each structure ----

  private void inspect(Path path) throws IOException {
    if (Files.isRegularFile(path)) {
      try (BitPages pages = BitPages.openToRead(path)) {
        inspect(path, pages);
        return;
      }
    }
    if (Files.notExists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    if (!Files.isDirectory(path)) {
      throw new NotDirectoryException(path.toString());
    }
    if (Files.isRegularFile(path.resolve("filter"))) {
      try (BufferedBloomReader reader = BufferedBloomReader.open(path)) {
        inspect(reader);
      }
    } else if (isTable(path)) {
      try (BufferHashReader reader = BufferHashReader.open(path)) {
        inspect(reader);
      }
    } else if (Files.isDirectory(path.resolve("filter"))) { // a de-duplicator's
      if (Files.exists(path.resolve("DEDUP"))) {
        TextFile.read(path.resolve("DEDUP"), "winnow-dedup", 1, "begin with a new directory");
      }
      inspect(path.resolve("filter"));
    } else if (Files.notExists(path.resolve("MANIFEST"))) {
      throw new IOException(
          path
              + " has no MANIFEST and no filter: give the directory of a cascade filter, a buffered"
              + " Bloom filter, a BufferHash or a de-duplicator, or the file of a plain or an elevator"
              + " Bloom filter");
    } else {
      try (CascadeReader reader = CascadeReader.open(path)) {
        inspect(reader);
      }
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

  private void inspect(BufferedBloomReader reader) throws IOException {
    BufferedBloomSizing sizing = reader.sizing();
    String keyHash = reader.keyHash() == null ? null : reader.keyHash().label();
    double expectedRate = reader.keys() == 0 ? 0 : sizing.expectedRate(reader.keys());
    fields.put("directory", reader.path().toString());
    fields.put("structure", "buffered-bloom");
    fields.put("keyHash", keyHash);
    fields.put("hashFunctions", sizing.hashFunctions());
    fields.put("groups", sizing.groups());
    fields.put("groupPages", sizing.groupPages());
    fields.put("pageBytes", sizing.pageBytes());
    fields.put("keys", reader.keys());
    fields.put("bytesOnFlash", sizing.sizeInBytes());
    fields.put("expectedRate", expectedRate);
    fields.put("whole", reader.isWhole());
    fields.put("mark", reader.mark());
    line(
        "%,d groups of %,d pages of %,d bytes, %d hash functions, %s",
        sizing.groups(),
        sizing.groupPages(),
        sizing.pageBytes(),
        sizing.hashFunctions(),
        keyHash == null ? "made for hashes" : "keys hashed by " + keyHash);
    line("%,d keys at the last sync, %,d bytes on flash", reader.keys(), sizing.sizeInBytes());
    line("false positives expected: %.3g %% of absent keys", 100 * expectedRate);
    line(
        reader.isWhole()
            ? "whole; the mark of the last sync is %d"
            : "NOT WHOLE: every answer is \"present\" until the keys after the mark %d are"
                + " inserted again (docs/flash.md)",
        reader.mark());
    verify(reader.pages(), HEADS, reader::verify);
  }

  private void inspect(Path file, BitPages pages) throws IOException {
    fields.put("file", file.toString());
    fields.put("structure", "bit-pages");
    fields.put("bits", pages.sizing().bits());
    fields.put("hashFunctions", pages.sizing().hashFunctions());
    fields.put("pageBytes", pages.pageBytes());
    fields.put("bytesOnFlash", Files.size(file));
    line(
        "a plain or an elevator Bloom filter of %,d bits, %d hash functions, pages of %,d bytes",
        pages.sizing().bits(), pages.sizing().hashFunctions(), pages.pageBytes());
    line("%,d bytes on flash", Files.size(file));
    verify(pages.pages(), 0, pages::verify);
  }

  private void inspect(BufferHashReader reader) throws IOException {
    BufferHashLayout layout = reader.layout();
    FlashStatistics<BufferHashCount> statistics = reader.statistics();
    long incarnations = statistics.get(BufferHashCount.INCARNATIONS);
    long lost = statistics.get(BufferHashCount.LOST_INCARNATIONS);
    long records = statistics.get(BufferHashCount.FLASH_ENTRIES);
    long bytes = Files.size(reader.path().resolve("table"));
    fields.put("directory", reader.path().toString());
    fields.put("structure", "bufferhash");
    fields.put("keyed", reader.keyed());
    fields.put("superTables", layout.superTables());
    fields.put("slots", layout.incarnations());
    fields.put("pageBytes", layout.pageBytes());
    fields.put("incarnations", incarnations);
    fields.put("lostIncarnations", lost);
    fields.put("records", records);
    fields.put("logged", reader.logged());
    fields.put("bytesOnFlash", bytes);
    line(
        "%s, %,d super tables with room for %,d incarnations each, pages of %,d bytes",
        reader.keyed() ? "keys of bytes" : "fingerprints",
        layout.superTables(),
        layout.incarnations(),
        layout.pageBytes());
    line(
        "%,d records in %,d incarnations, %,d keys in logs, a table of %,d bytes",
        records, incarnations, reader.logged(), bytes);
    if (lost > 0) {
      line(
          "LOST: nobody knows what keys %,d incarnations had, and lookups that need them fail;"
              + " forgetLost() ends that (docs/flash.md)",
          lost);
    }
    verify(reader.pages(), HEADS, reader::verify);
  }

  private void inspect(CascadeReader reader) throws IOException {
    CascadeStatistics statistics = reader.statistics();
    long flashEntries = statistics.get(CascadeCount.FLASH_ENTRIES);
    long flashBytes = statistics.get(CascadeCount.FLASH_BYTES);
    long memoryCapacity = statistics.get(CascadeCount.MEMORY_CAPACITY);
    long entries = statistics.get(CascadeCount.MEMORY_ENTRIES) + flashEntries;
    double bitsPerEntry = 8.0 * flashBytes / Math.max(1, flashEntries);
    fields.put("directory", reader.path().toString());
    fields.put("structure", "cascade");
    fields.put("keyHash", reader.keyHash().label());
    fields.put("fingerprintBits", reader.fingerprintBits());
    fields.put("deletes", reader.deletes());
    fields.put("pageBytes", reader.pageBytes());
    fields.put("entries", entries);
    fields.put("bytesOnFlash", flashBytes);
    fields.put("bitsPerEntry", bitsPerEntry);
    fields.put("expectedRate", statistics.expectedRate());
    fields.put("doubtfulShare", statistics.doubtfulShare());
    fields.put("fanOut", statistics.get(CascadeCount.FAN_OUT));
    fields.put("memoryEntries", memoryCapacity);
    line(
        "fingerprints of %d bits, keys hashed by %s, %s, pages of %,d bytes",
        reader.fingerprintBits(),
        reader.keyHash().label(),
        reader.deletes() ? "deletes" : "no deletes",
        reader.pageBytes());
    line(
        "%,d entries, %,d bytes on flash, %.2f bits for each entry there",
        entries, flashBytes, bitsPerEntry);
    line("false positives expected: %.3g %% of absent keys", 100 * statistics.expectedRate());
    if (statistics.doubtfulShare() > 0) {
      line(
          "IN DOUBT since pages were lost: %.5f %% of all keys are answered \"present\";"
              + " insert all keys into a new directory",
          100 * statistics.doubtfulShare());
    }
    line(
        "last written with a fan-out of %d and %,d entries in memory",
        statistics.get(CascadeCount.FAN_OUT), memoryCapacity);
    levels(statistics.levels());
    logs(reader.logs());
    fanOuts((double) entries / memoryCapacity);
    long pages = statistics.levels().stream().mapToLong(CascadeStatistics.Level::pages).sum();
    verify(pages, 0, reader::verify);
  }

  private void levels(List<CascadeStatistics.Level> levels) {
    List<Map<String, Object>> all = new ArrayList<>();
    List<String[]> rows = new ArrayList<>();
    for (CascadeStatistics.Level level : levels) {
      double bitsPerEntry = 8.0 * level.bytes() / level.entries();
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("file", "level-" + level.file());
      one.put("rank", level.rank());
      one.put("entries", level.entries());
      one.put("capacity", level.capacity());
      one.put("fill", level.fill());
      one.put("pages", level.pages());
      one.put("bytes", level.bytes());
      one.put("bitsPerEntry", bitsPerEntry);
      all.add(one);
      rows.add(
          new String[] {
            "level-" + level.file(),
            number(level.rank(), 0),
            number(level.entries(), 0),
            number(level.capacity(), 0),
            number(100 * level.fill(), 1) + " %",
            number(level.pages(), 0),
            number(level.bytes(), 0),
            number(bitsPerEntry, 2)
          });
    }
    fields.put("levels", all);
    if (rows.isEmpty()) {
      line("no levels on flash");
    } else {
      line("levels, newest first");
      table(
          rows, "file", "rank", "entries", "capacity", "fill", "pages", "bytes", "bits per entry");
    }
  }

  private void logs(List<LogRecovery.Log> logs) {
    List<Map<String, Object>> all = new ArrayList<>();
    List<String[]> rows = new ArrayList<>();
    for (LogRecovery.Log log : logs) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("number", log.number());
      one.put("operations", log.records());
      one.put("bytes", log.end());
      one.put("torn", log.torn());
      all.add(one);
      rows.add(
          new String[] {
            "log-" + log.number(),
            number(log.records(), 0),
            number(log.end(), 0),
            log.torn() ? "cut by a crash, or being written" : "whole"
          });
    }
    fields.put("logs", all);
    if (rows.isEmpty()) {
      line("no logs: all of it is in levels");
    } else {
      line("logs, oldest first");
      table(rows, "file", "operations", "bytes", "end");
    }
  }

  /**
   * Reports the fan-outs that are recommended for some numbers of lookups per insert.
   *
   * @param memories number of entries as a multiple of the entries that fit in memory
   */
  private void fanOuts(double memories) {
    List<Map<String, Object>> all = new ArrayList<>();
    List<String[]> rows = new ArrayList<>();
    for (double lookups : LOOKUPS_PER_INSERT) {
      int fanOut = CascadeMix.of(lookups).fanOut(memories);
      double pages = CascadeMix.pages(fanOut, memories);
      double writes = CascadeMix.writes(fanOut, memories);
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("lookupsPerInsert", lookups);
      one.put("fanOut", fanOut);
      one.put("pagesPerLookup", pages);
      one.put("writesPerKey", writes);
      all.add(one);
      rows.add(
          new String[] {
            lookups == 0 ? "0" : BigDecimal.valueOf(lookups).stripTrailingZeros().toPlainString(),
            number(fanOut, 0),
            number(pages, 2),
            number(writes, 1)
          });
    }
    fields.put("fanOuts", all);
    line("fan-outs that suit a mix, with so many entries, in batches (docs/cascade.md)");
    table(rows, "lookups per insert", "fan-out", "pages per lookup", "writes per key");
  }

  /**
   * Verifies all pages, if this was requested.
   *
   * @param pages number of pages that are announced
   * @param heads number of pages that are checked beside them
   */
  private void verify(long pages, int heads, Verification verification) throws IOException {
    if (pagesExpected == null) {
      fields.put("verified", null);
      return;
    }
    pagesExpected.accept(pages);
    List<DamagedPageException> found = verification.run(pagesRead);
    damaged = !found.isEmpty();
    List<Map<String, Object>> all = new ArrayList<>();
    line("verified: %,d pages, %,d damaged", pages + heads, found.size());
    for (DamagedPageException damage : found) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("file", damage.file());
      one.put("page", damage.page());
      one.put("reason", damage.reason());
      all.add(one);
      line("  page %,d of %s: %s", damage.page(), damage.file(), damage.reason());
    }
    Map<String, Object> verified = new LinkedHashMap<>();
    verified.put("pages", pages + heads);
    verified.put("damaged", all);
    fields.put("verified", verified);
  }

  // ---- For people ----

  private void line(String format, Object... values) {
    text.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String number(double value, int decimals) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%,." + decimals + "f", value) : "-";
  }

  /** Adds a table, with its first column aligned to the left, the others to the right. */
  private void table(List<String[]> rows, String... header) {
    rows.add(0, header);
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder("  ");
      for (int i = 0; i < row.length; i++) {
        int column = i;
        int width = rows.stream().mapToInt(other -> other[column].length()).max().orElse(0);
        String pad = " ".repeat(width - row[i].length());
        line.append(i == 0 ? "  " + row[i] + pad : "  " + pad + row[i]);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
  }
}

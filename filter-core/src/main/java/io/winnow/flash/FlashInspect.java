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
              + " Bloom filter, a BufferHash or a de-duplicator, or the file of a plain or an"
              + " elevator Bloom filter");
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
    long keys = reader.keys();
    structure(reader.path(), "buffered-bloom", reader);
    put("keyHash", keyHash);
    line(
        "%,d groups of %,d pages of %,d bytes, %d hash functions, %s",
        put("groups", sizing.groups()),
        put("groupPages", sizing.groupPages()),
        put("pageBytes", sizing.pageBytes()),
        put("hashFunctions", sizing.hashFunctions()),
        keyHash == null ? "made for hashes" : "keys hashed by " + keyHash);
    line(
        "%,d keys at the last sync, %,d bytes on flash",
        put("keys", keys), put("bytesOnFlash", sizing.sizeInBytes()));
    rate(keys == 0 ? 0 : sizing.expectedRate(keys));
    line(
        put("whole", reader.isWhole())
            ? "whole; the mark of the last sync is %d"
            : "NOT WHOLE: every answer is \"present\" until the keys after the mark %d are"
                + " inserted again (docs/flash.md)",
        put("mark", reader.mark()));
    verify(reader.pages(), HEADS, reader::verify);
  }

  private void inspect(Path file, BitPages pages) throws IOException {
    put("file", file.toString());
    put("structure", "bit-pages");
    line(
        "a plain or an elevator Bloom filter of %,d bits, %d hash functions, pages of %,d bytes",
        put("bits", pages.sizing().bits()),
        put("hashFunctions", pages.sizing().hashFunctions()),
        put("pageBytes", pages.pageBytes()));
    line("%,d bytes on flash", put("bytesOnFlash", Files.size(file)));
    verify(pages.pages(), 0, pages::verify);
  }

  private void inspect(BufferHashReader reader) throws IOException {
    BufferHashLayout layout = reader.layout();
    FlashStatistics<BufferHashCount> statistics = reader.statistics();
    structure(reader.path(), "bufferhash", reader);
    line(
        "%s, %,d super tables with room for %,d incarnations each, pages of %,d bytes",
        put("keyed", reader.keyed()) ? "keys of bytes" : "fingerprints",
        put("superTables", layout.superTables()),
        put("slots", layout.incarnations()),
        put("pageBytes", layout.pageBytes()));
    line(
        "%,d records in %,d incarnations, %,d keys in logs, a table of %,d bytes",
        put("records", statistics.get(BufferHashCount.FLASH_ENTRIES)),
        put("incarnations", statistics.get(BufferHashCount.INCARNATIONS)),
        put("logged", reader.logged()),
        put("bytesOnFlash", Files.size(reader.path().resolve("table"))));
    long lost = put("lostIncarnations", statistics.get(BufferHashCount.LOST_INCARNATIONS));
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
    structure(reader.path(), "cascade", reader);
    line(
        "fingerprints of %d bits, keys hashed by %s, %s, pages of %,d bytes",
        put("fingerprintBits", reader.fingerprintBits()),
        put("keyHash", reader.keyHash().label()),
        put("deletes", reader.deletes()) ? "deletes" : "no deletes",
        put("pageBytes", reader.pageBytes()));
    line(
        "%,d entries, %,d bytes on flash, %.2f bits for each entry there",
        put("entries", entries),
        put("bytesOnFlash", flashBytes),
        put("bitsPerEntry", 8.0 * flashBytes / Math.max(1, flashEntries)));
    rate(statistics.expectedRate());
    double doubtful = put("doubtfulShare", statistics.doubtfulShare());
    if (doubtful > 0) {
      line(
          "IN DOUBT since pages were lost: %.5f %% of all keys are answered \"present\";"
              + " insert all keys into a new directory",
          100 * doubtful);
    }
    line(
        "last written with a fan-out of %d and %,d entries in memory",
        put("fanOut", statistics.get(CascadeCount.FAN_OUT)), put("memoryEntries", memoryCapacity));
    levels(statistics.levels());
    logs(reader.logs());
    fanOuts((double) entries / memoryCapacity);
    long pages = statistics.levels().stream().mapToLong(CascadeStatistics.Level::pages).sum();
    verify(pages, 0, reader::verify);
  }

  /** Reports which structure is in a directory. */
  private void structure(Path directory, String structure, Object reader) {
    put("directory", directory.toString());
    put("structure", structure);
    line("%s", reader);
  }

  /** Reports the expected false-positive rate. */
  private void rate(double rate) {
    put("expectedRate", rate);
    line("false positives expected: %.3g %% of absent keys", 100 * rate);
  }

  private void levels(List<CascadeStatistics.Level> levels) {
    Table table = new Table();
    for (CascadeStatistics.Level level : levels) {
      String name = "level-" + level.file();
      table.row();
      table.cell("file", "file", name, name);
      table.number("rank", "rank", level.rank(), 0);
      table.number("entries", "entries", level.entries(), 0);
      table.number("capacity", "capacity", level.capacity(), 0);
      table.cell("fill", "fill", level.fill(), number(100 * level.fill(), 1) + " %");
      table.number("pages", "pages", level.pages(), 0);
      table.number("bytes", "bytes", level.bytes(), 0);
      table.number("bitsPerEntry", "bits per entry", 8.0 * level.bytes() / level.entries(), 2);
    }
    table.print("levels", "levels, newest first", "no levels on flash");
  }

  private void logs(List<LogRecovery.Log> logs) {
    Table table = new Table();
    for (LogRecovery.Log log : logs) {
      String end = log.torn() ? "cut by a crash, or being written" : "whole";
      table.row();
      table.cell("number", "file", log.number(), "log-" + log.number());
      table.number("operations", "operations", log.records(), 0);
      table.number("bytes", "bytes", log.end(), 0);
      table.cell("torn", "end", log.torn(), end);
    }
    table.print("logs", "logs, oldest first", "no logs: all of it is in levels");
  }

  /**
   * Reports the fan-outs that are recommended for some numbers of lookups per insert.
   *
   * @param memories number of entries as a multiple of the entries that fit in memory
   */
  private void fanOuts(double memories) {
    Table table = new Table();
    for (double lookups : LOOKUPS_PER_INSERT) {
      int fanOut = CascadeMix.of(lookups).fanOut(memories);
      String shown =
          lookups == 0 ? "0" : BigDecimal.valueOf(lookups).stripTrailingZeros().toPlainString();
      table.row();
      table.cell("lookupsPerInsert", "lookups per insert", lookups, shown);
      table.number("fanOut", "fan-out", fanOut, 0);
      table.number("pagesPerLookup", "pages per lookup", CascadeMix.pages(fanOut, memories), 2);
      table.number("writesPerKey", "writes per key", CascadeMix.writes(fanOut, memories), 1);
    }
    table.print(
        "fanOuts",
        "fan-outs that suit a mix, with so many entries, in batches (docs/cascade.md)",
        "none");
  }

  /**
   * Verifies all pages, if this was requested.
   *
   * @param pages number of pages that are announced
   * @param heads number of pages that are checked beside them
   */
  private void verify(long pages, int heads, Verification verification) throws IOException {
    if (pagesExpected == null) {
      put("verified", null);
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
    put("verified", verified);
  }

  /** Adds a value to the report for programs, and returns it for that for people. */
  private <T> T put(String key, T value) {
    fields.put(key, value);
    return value;
  }

  // ---- For people ----

  private void line(String format, Object... values) {
    text.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String number(double value, int decimals) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, "%,." + decimals + "f", value) : "-";
  }

  /** Things of one kind, added row by row: maps for programs, and a table for people. */
  private final class Table {
    private final List<Map<String, Object>> things = new ArrayList<>();

    /** Texts of the table's cells, in the first row the titles of the columns. */
    private final List<List<String>> rows = new ArrayList<>(List.of(new ArrayList<>()));

    /** Begins the next row. */
    void row() {
      things.add(new LinkedHashMap<>());
      rows.add(new ArrayList<>());
    }

    /** Adds a value to the row, with its key for programs, and title and text for people. */
    void cell(String key, String title, Object value, String shown) {
      if (things.size() == 1) {
        rows.get(0).add(title);
      }
      things.get(things.size() - 1).put(key, value);
      rows.get(things.size()).add(shown);
    }

    void number(String key, String title, Number value, int decimals) {
      cell(key, title, value, FlashInspect.number(value.doubleValue(), decimals));
    }

    /** Reports the table, with its first column aligned to the left, the others to the right. */
    void print(String key, String heading, String none) {
      put(key, things);
      if (things.isEmpty()) {
        line(none);
        return;
      }
      line(heading);
      for (List<String> row : rows) {
        StringBuilder line = new StringBuilder("  ");
        for (int i = 0; i < row.size(); i++) {
          int column = i;
          int width = rows.stream().mapToInt(other -> other.get(column).length()).max().orElse(0);
          String pad = " ".repeat(width - row.get(i).length());
          line.append(i == 0 ? "  " + row.get(i) + pad : "  " + pad + row.get(i));
        }
        text.append(line.toString().stripTrailing()).append('\n');
      }
    }
  }
}

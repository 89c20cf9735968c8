package io.winnow.cascade;

import io.winnow.KeyHash;
import io.winnow.flash.drive.CopiedOnChange;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.TextFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The manifest of a cascade filter's directory: the layout of fingerprints, the levels, newest
 * first, the first log with operations that are in no level, and the ranges of lost pages. A text
 * of lines, of which the last is a checksum.
 *
 * <p>The entries of a memory level and the fan-out are those of the last writer. Reading the filter
 * does not need them; tools that open it without options show them.
 *
 * <p>It is replaced as a whole, like each {@link TextFile}. Schema-critical.
 */
final class Manifest extends CopiedOnChange<Manifest> {
  static final String NAME = "MANIFEST";

  /**
   * Advice to the user in messages about damaged files of a cascade filter. (Restoring single files
   * from a copy would lose later keys.)
   */
  static final String REMEDY =
      "put the whole directory back from a copy and insert all keys that came after it was made, or"
          + " insert all keys into a new directory";

  /** Maximum of slot pages in a level's file, limited by the length of an array of fences. */
  static final int MAX_PAGES = Integer.MAX_VALUE - 8;

  /** Maximum of bytes in a page of a cascade filter. */
  static final int MAX_PAGE_BYTES = 1 << 16;

  private static final String KIND = "winnow-cascade";
  private static final int VERSION = 2;

  final SlotShape shape;
  final KeyHash keyHash;
  final int pageBytes;

  // these differ from one manifest to the next; the methods that make one set them
  long id;
  long memoryEntries = 1;
  int fanOut = 2;
  long nextFile = 1;
  long firstLog = 1;

  /**
   * Length in bytes of each log when the filter was closed, by log number. A shorter log has been
   * cut.
   */
  Map<Long, Long> closed = Map.of();

  Doubt doubt;
  List<LevelEntry> levels = List.of();

  /** Creates the manifest of an empty cascade filter. */
  Manifest(long id, SlotShape shape, KeyHash keyHash, int pageBytes) {
    this.id = id;
    this.shape = shape;
    this.keyHash = keyHash;
    this.pageBytes = pageBytes;
    this.doubt = Doubt.none(shape);
  }

  /** Line of a manifest that describes one level on flash. */
  static final class LevelEntry {
    final long number;
    final int rank;
    final long entries;
    final int pages;
    final long id;

    LevelEntry(long number, int rank, long entries, int pages, long id) {
      this.number = number;
      this.rank = rank;
      this.entries = entries;
      this.pages = pages;
      this.id = id;
    }
  }

  /** Returns a copy of this manifest with the memory level size and the fan-out of its writer. */
  Manifest writtenBy(long newMemoryEntries, int newFanOut) {
    return with(
        m -> {
          m.memoryEntries = newMemoryEntries;
          m.fanOut = newFanOut;
        });
  }

  /** Returns a copy of this manifest with the lengths of the logs of a closed filter. */
  Manifest closed(Map<Long, Long> logs) {
    return with(m -> m.closed = logs);
  }

  /** Returns a copy of this manifest with other levels, newest first, and another first log. */
  Manifest with(long newNextFile, long newFirstLog, Doubt newDoubt, List<LevelEntry> newLevels) {
    return with(
        m -> {
          m.nextFile = newNextFile;
          m.firstLog = newFirstLog;
          m.closed = new TreeMap<>(closed);
          m.closed.keySet().removeIf(number -> number < newFirstLog);
          m.doubt = newDoubt;
          m.levels = List.copyOf(newLevels);
        });
  }

  /** Returns the manifest of another filter with the same levels and no logs. */
  Manifest withId(long newId) {
    return with(
        m -> {
          m.id = newId;
          m.firstLog = 1;
          m.closed = Map.of();
        });
  }

  /** Returns whether filters with the two manifests can share level files. */
  boolean isLike(Manifest other) {
    return shape.isLike(other.shape) && keyHash == other.keyHash && pageBytes == other.pageBytes;
  }

  /**
   * Describes those properties of a filter that its directory cannot change, with the rate at a
   * given number of keys.
   */
  String describe(long keys) {
    return String.format(
        "fingerprints of %s bits (a rate of %.2g at %s keys), %s, keys hashed by %s and pages of %s"
            + " bytes",
        shape.fingerprintBits,
        shape.rate(keys),
        keys,
        shape.deletes ? "deletes" : "no deletes",
        keyHash.label(),
        pageBytes);
  }

  /** Returns the whole text of the manifest file. */
  String text() {
    TextFile.Writer text =
        new TextFile.Writer(KIND, VERSION)
            .line("id", TextFile.hex(id))
            .line("fingerprint-bits", shape.fingerprintBits)
            .line("deletes", shape.deletes ? 1 : 0)
            .line("key-hash", keyHash.id())
            .line("page-bytes", pageBytes)
            .line("memory-entries", memoryEntries)
            .line("fan-out", fanOut)
            .line("next-file", nextFile)
            .line("first-log", firstLog);
    closed.forEach((log, bytes) -> text.line("closed-log", log, bytes));
    doubt.ranges.forEach((from, to) -> text.line("doubt", from, to));
    for (LevelEntry level : levels) {
      text.line(
          "level", level.number, level.rank, level.entries, level.pages, TextFile.hex(level.id));
    }
    return text.text();
  }

  /**
   * Writes the manifest file to a directory.
   *
   * @return whether it is known to be durable, as {@link TextFile#replace}
   */
  boolean write(FileAccess access, Path directory) throws IOException {
    return TextFile.replace(access, directory, NAME, text());
  }

  /** Reads and checks the manifest of a cascade filter's directory. */
  static Manifest read(Path directory) throws IOException {
    return TextFile.read(
        directory.resolve(NAME), KIND, VERSION, REMEDY, Manifest::parse, Manifest::text);
  }

  /** Parses the lines of a manifest; throws {@link IllegalArgumentException} at a wrong value. */
  private static Manifest parse(TextFile.Reader lines) {
    long id = lines.id("id");
    int fingerprintBits =
        (int)
            lines.number(
                "fingerprint-bits", SlotShape.MIN_FINGERPRINT_BITS, SlotShape.MAX_FINGERPRINT_BITS);
    SlotShape shape = new SlotShape(fingerprintBits, lines.number("deletes") == 1);
    KeyHash keyHash = KeyHash.ofId((int) lines.number("key-hash"));
    int pageBytes = (int) lines.number("page-bytes");
    PageStore.checkPageBytes(pageBytes, MAX_PAGE_BYTES);
    Manifest read = new Manifest(id, shape, keyHash, pageBytes);
    read.memoryEntries = lines.number("memory-entries", 1, Long.MAX_VALUE / 2);
    read.fanOut = (int) lines.number("fan-out");
    CascadeMix.checkFanOut(read.fanOut);
    read.nextFile = lines.number("next-file");
    read.firstLog = lines.number("first-log");
    read.closed = new TreeMap<>();
    while (lines.isNext("closed-log")) {
      String[] words = lines.words("closed-log", 2);
      read.closed.put(Long.parseLong(words[0]), Long.parseLong(words[1]));
      lines.check(Long.parseLong(words[0]) >= read.firstLog, "closed-log " + words[0]);
    }
    while (lines.isNext("doubt")) {
      String[] words = lines.words("doubt", 2);
      long from = Long.parseLong(words[0]);
      long to = Long.parseLong(words[1]);
      lines.check(from >= 0 && from < to && to <= 1L << shape.fenceBits(), "doubt " + from);
      read.doubt = read.doubt.with(from, to);
      lines.check(read.doubt.ranges.size() <= Doubt.MAX_RANGES, "doubt " + from);
    }
    List<LevelEntry> levels = new ArrayList<>();
    Set<Long> numbers = new HashSet<>();
    while (lines.isNext("level")) {
      String[] words = lines.words("level", 5);
      LevelEntry level =
          new LevelEntry(
              Long.parseLong(words[0]),
              Integer.parseInt(words[1]),
              Long.parseLong(words[2]),
              Integer.parseInt(words[3]),
              Long.parseUnsignedLong(words[4], 16));
      lines.check(
          level.number >= 1
              && level.number < read.nextFile
              && numbers.add(level.number)
              && level.rank >= 1
              && level.pages >= 1
              && level.pages <= MAX_PAGES
              && level.entries >= level.pages,
          "level " + level.number);
      levels.add(level);
    }
    read.levels = List.copyOf(levels);
    return read;
  }
}

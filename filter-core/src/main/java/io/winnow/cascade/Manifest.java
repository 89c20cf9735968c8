package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.TextFile;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a directory holds: the shape of slots, the levels, newest first, from which log on there are
 * operations that are in no level, and what is in doubt. Lines of text, the last of them a
 * checksum.
 *
 * <p>How many entries a level in memory has, and the fan-out, are those of who wrote it: nobody
 * needs them to read the filter, and who looks at it without options wants to know.
 *
 * <p>It is switched whole, as each {@link TextFile}. Schema-critical.
 */
final class Manifest {
  static final String NAME = "MANIFEST";

  /** What is left to do where files are damaged. A copy is older than what it is put back for. */
  static final String WHAT_TO_DO =
      "put the whole directory back from a copy and insert all keys that came after it was made, or"
          + " insert all keys into a new directory";

  private static final String KIND = "winnow-cascade";
  private static final int VERSION = 2;

  final long id;
  final SlotShape shape;
  final KeyHash keyHash;
  final int pageBytes;
  final long memoryEntries;
  final int fanOut;
  final long nextFile;
  final long firstLog;

  /** How many bytes logs had when the filter was closed, by number: it must not become less. */
  final Map<Long, Long> closed;

  final Doubt doubt;
  final List<LevelEntry> levels;

  Manifest(
      long id,
      SlotShape shape,
      KeyHash keyHash,
      int pageBytes,
      long memoryEntries,
      int fanOut,
      long nextFile,
      long firstLog,
      Map<Long, Long> closed,
      Doubt doubt,
      List<LevelEntry> levels) {
    this.id = id;
    this.shape = shape;
    this.keyHash = keyHash;
    this.pageBytes = pageBytes;
    this.memoryEntries = memoryEntries;
    this.fanOut = fanOut;
    this.nextFile = nextFile;
    this.firstLog = firstLog;
    this.closed = closed;
    this.doubt = doubt;
    this.levels = levels;
  }

  /** A level's line; the id is what its pages are salted with. */
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

  /** Of a filter with nothing in it. */
  static Manifest first(long id, SlotShape shape, KeyHash keyHash, int pageBytes) {
    return new Manifest(
        id, shape, keyHash, pageBytes, 1, 2, 1, 1, Map.of(), Doubt.none(shape), List.of());
  }

  /** Of a directory of the same kind. */
  private Manifest like(
      long newId,
      long newMemoryEntries,
      int newFanOut,
      long newNextFile,
      long newFirstLog,
      Map<Long, Long> newClosed,
      Doubt newDoubt,
      List<LevelEntry> newLevels) {
    return new Manifest(
        newId,
        shape,
        keyHash,
        pageBytes,
        newMemoryEntries,
        newFanOut,
        newNextFile,
        newFirstLog,
        newClosed,
        newDoubt,
        newLevels);
  }

  /** The same, by a writer with such a level in memory and such a fan-out. */
  Manifest by(long newMemoryEntries, int newFanOut) {
    return like(id, newMemoryEntries, newFanOut, nextFile, firstLog, closed, doubt, levels);
  }

  /** The same, of a filter that is closed. */
  Manifest closed(Map<Long, Long> logs) {
    return like(id, memoryEntries, fanOut, nextFile, firstLog, logs, doubt, levels);
  }

  /** The same filter with other levels, newest first, and another first log. */
  Manifest with(long newNextFile, long newFirstLog, Doubt newDoubt, List<LevelEntry> newLevels) {
    Map<Long, Long> left = closedFrom(newFirstLog);
    List<LevelEntry> copy = List.copyOf(newLevels);
    return like(id, memoryEntries, fanOut, newNextFile, newFirstLog, left, newDoubt, copy);
  }

  private Map<Long, Long> closedFrom(long log) {
    Map<Long, Long> left = new TreeMap<>(closed);
    left.keySet().removeIf(number -> number < log);
    return left;
  }

  /** Another filter with the same levels and no logs. */
  Manifest withId(long newId) {
    return like(newId, memoryEntries, fanOut, nextFile, 1, Map.of(), doubt, levels);
  }

  /** Whether filters of both can share levels. */
  boolean isLike(Manifest other) {
    return shape.equals(other.shape) && keyHash == other.keyHash && pageBytes == other.pageBytes;
  }

  /** What a directory cannot change, with the rate that it has at so many keys. */
  String describe(long keys) {
    return "fingerprints of "
        + shape.fingerprintBits
        + " bits (a rate of "
        + String.format("%.2g", (double) keys / (1L << shape.fingerprintBits))
        + " at "
        + keys
        + " keys), "
        + (shape.deletes ? "deletes" : "no deletes")
        + ", keys hashed by "
        + keyHash.label()
        + " and pages of "
        + pageBytes
        + " bytes";
  }

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
    for (Doubt.Range range : doubt.ranges()) {
      text.line("doubt", range.from, range.to);
    }
    for (LevelEntry level : levels) {
      text.line(
          "level", level.number, level.rank, level.entries, level.pages, TextFile.hex(level.id));
    }
    return text.text();
  }

  /** As {@link TextFile#replace}. */
  boolean write(FileAccess access, Path directory) throws IOException {
    return TextFile.replace(access, directory, NAME, text());
  }

  static boolean isThere(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  /** Reads a directory's manifest. */
  static Manifest read(Path directory) throws IOException {
    TextFile.Reader lines = TextFile.read(directory.resolve(NAME), KIND, VERSION, WHAT_TO_DO);
    try {
      Manifest manifest = parse(lines);
      lines.checkSame(manifest.text());
      return manifest;
    } catch (IllegalArgumentException e) {
      throw e instanceof FilterFormatException ? e : lines.damaged(e.getMessage(), e);
    }
  }

  private static Manifest parse(TextFile.Reader lines) {
    long id = lines.id("id");
    int fingerprintBits =
        (int)
            lines.number(
                "fingerprint-bits", SlotShape.MIN_FINGERPRINT_BITS, SlotShape.MAX_FINGERPRINT_BITS);
    SlotShape shape = new SlotShape(fingerprintBits, lines.number("deletes") == 1);
    KeyHash keyHash = KeyHash.ofId((int) lines.number("key-hash"));
    int pageBytes = (int) lines.number("page-bytes");
    CascadeOptions.defaults().pageBytes(pageBytes);
    long memoryEntries = lines.number("memory-entries", 1, Long.MAX_VALUE / 2);
    int fanOut = (int) lines.number("fan-out");
    CascadeOptions.checkFanOut(fanOut);
    long nextFile = lines.number("next-file");
    long firstLog = lines.number("first-log");
    Map<Long, Long> closed = new TreeMap<>();
    while (lines.isNext("closed-log")) {
      String[] words = lines.words("closed-log", 2);
      closed.put(Long.parseLong(words[0]), Long.parseLong(words[1]));
      lines.check(Long.parseLong(words[0]) >= firstLog, "closed-log " + words[0]);
    }
    List<Doubt.Range> doubt = new ArrayList<>();
    while (lines.isNext("doubt")) {
      addDoubt(doubt, lines, shape);
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
              && level.number < nextFile
              && numbers.add(level.number)
              && level.rank >= 1
              && level.pages >= 1
              && level.pages <= LevelFile.MOST_PAGES
              && level.entries >= level.pages,
          "level " + level.number);
      levels.add(level);
    }
    return new Manifest(
        id,
        shape,
        keyHash,
        pageBytes,
        memoryEntries,
        fanOut,
        nextFile,
        firstLog,
        closed,
        Doubt.of(shape, doubt),
        List.copyOf(levels));
  }

  private static void addDoubt(List<Doubt.Range> ranges, TextFile.Reader lines, SlotShape shape) {
    String[] words = lines.words("doubt", 2);
    Doubt.Range range = new Doubt.Range(Long.parseLong(words[0]), Long.parseLong(words[1]));
    long least = ranges.isEmpty() ? 0 : ranges.get(ranges.size() - 1).to + 1;
    lines.check(
        range.from >= least
            && range.to > range.from
            && range.to <= 1L << shape.fenceBits()
            && ranges.size() < Doubt.MOST_RANGES,
        "doubt " + range.from);
    ranges.add(range);
  }

  /** By the text, which has every field. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Manifest && text().equals(((Manifest) other).text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }
}

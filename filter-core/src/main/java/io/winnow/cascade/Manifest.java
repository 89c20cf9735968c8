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
import java.util.function.Consumer;

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
final class Manifest implements Cloneable {
  static final String NAME = "MANIFEST";

  /** What is left to do where files are damaged. A copy is older than what it is put back for. */
  static final String WHAT_TO_DO =
      "put the whole directory back from a copy and insert all keys that came after it was made, or"
          + " insert all keys into a new directory";

  /** Pages of slots that a level has at most: what an array of fences can have. */
  static final int MOST_PAGES = Integer.MAX_VALUE - 8;

  private static final String KIND = "winnow-cascade";
  private static final int VERSION = 2;

  final SlotShape shape;
  final KeyHash keyHash;
  final int pageBytes;

  // these differ from one manifest to the next, and are set by who makes it
  long id;
  long memoryEntries = 1;
  int fanOut = 2;
  long nextFile = 1;
  long firstLog = 1;

  /** How many bytes logs had when the filter was closed, by number: it must not become less. */
  Map<Long, Long> closed = Map.of();

  Doubt doubt;
  List<LevelEntry> levels = List.of();

  private Manifest(SlotShape shape, KeyHash keyHash, int pageBytes) {
    this.shape = shape;
    this.keyHash = keyHash;
    this.pageBytes = pageBytes;
    this.doubt = Doubt.none(shape);
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
    return new Manifest(shape, keyHash, pageBytes).with(m -> m.id = id);
  }

  /** The same, but for what is changed. */
  private Manifest with(Consumer<Manifest> change) {
    try {
      Manifest changed = (Manifest) clone();
      change.accept(changed);
      return changed;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** The same, by a writer with such a level in memory and such a fan-out. */
  Manifest by(long newMemoryEntries, int newFanOut) {
    return with(
        m -> {
          m.memoryEntries = newMemoryEntries;
          m.fanOut = newFanOut;
        });
  }

  /** The same, of a filter that is closed. */
  Manifest closed(Map<Long, Long> logs) {
    return with(m -> m.closed = logs);
  }

  /** The same filter with other levels, newest first, and another first log. */
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

  /** Another filter with the same levels and no logs. */
  Manifest withId(long newId) {
    return with(
        m -> {
          m.id = newId;
          m.firstLog = 1;
          m.closed = Map.of();
        });
  }

  /** Whether filters of both can share levels. */
  boolean isLike(Manifest other) {
    return shape.isLike(other.shape) && keyHash == other.keyHash && pageBytes == other.pageBytes;
  }

  /** What a directory cannot change, with the rate that it has at so many keys. */
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

  /** As it is written: all of it. */
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
    Manifest read = first(id, shape, keyHash, pageBytes);
    read.memoryEntries = lines.number("memory-entries", 1, Long.MAX_VALUE / 2);
    read.fanOut = (int) lines.number("fan-out");
    CascadeOptions.checkFanOut(read.fanOut);
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
      lines.check(read.doubt.ranges.size() <= Doubt.MOST_RANGES, "doubt " + from);
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
              && level.pages <= MOST_PAGES
              && level.entries >= level.pages,
          "level " + level.number);
      levels.add(level);
    }
    read.levels = List.copyOf(levels);
    return read;
  }
}

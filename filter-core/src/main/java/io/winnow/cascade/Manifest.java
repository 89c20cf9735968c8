package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * What a directory holds: the shape of slots, the levels, newest first, from which log on there are
 * operations that are in no level, and what is in doubt. Lines of text, the last of them a
 * checksum.
 *
 * <p>How many entries a level in memory has, and the fan-out, are those of who wrote it: nobody
 * needs them to read the filter, and who looks at it without options wants to know.
 *
 * <p>It is switched whole: written beside the old one, made safe, renamed over it, and the
 * directory made safe. Schema-critical.
 */
final class Manifest {
  static final String NAME = "MANIFEST";
  static final String TEMPORARY_NAME = "MANIFEST.new";

  private static final String MAGIC = "winnow-cascade";
  private static final int VERSION = 2;
  private static final long MAX_BYTES = 1 << 20;

  /** The number of the line, from 0 on, after those that each manifest has. */
  private static final int FIRST_LEVEL = 10;

  private final long id;
  private final SlotShape shape;
  private final KeyHash keyHash;
  private final int pageBytes;
  private final long memoryEntries;
  private final int fanOut;
  private final long nextFile;
  private final long firstLog;
  private final List<ClosedLog> closed;
  private final Doubt doubt;
  private final List<LevelEntry> levels;

  Manifest(
      long id,
      SlotShape shape,
      KeyHash keyHash,
      int pageBytes,
      long memoryEntries,
      int fanOut,
      long nextFile,
      long firstLog,
      List<ClosedLog> closed,
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

  long id() {
    return id;
  }

  SlotShape shape() {
    return shape;
  }

  KeyHash keyHash() {
    return keyHash;
  }

  int pageBytes() {
    return pageBytes;
  }

  long memoryEntries() {
    return memoryEntries;
  }

  int fanOut() {
    return fanOut;
  }

  long nextFile() {
    return nextFile;
  }

  long firstLog() {
    return firstLog;
  }

  List<ClosedLog> closed() {
    return closed;
  }

  Doubt doubt() {
    return doubt;
  }

  List<LevelEntry> levels() {
    return levels;
  }

  /** A level's line; the id is what its pages are salted with. */
  static final class LevelEntry {
    private final long number;
    private final int rank;
    private final long entries;
    private final int pages;
    private final long id;

    LevelEntry(long number, int rank, long entries, int pages, long id) {
      this.number = number;
      this.rank = rank;
      this.entries = entries;
      this.pages = pages;
      this.id = id;
    }

    long number() {
      return number;
    }

    int rank() {
      return rank;
    }

    long entries() {
      return entries;
    }

    int pages() {
      return pages;
    }

    long id() {
      return id;
    }
  }

  /** What a log had when the filter was closed: it must not become less. */
  static final class ClosedLog {
    private final long number;
    private final long bytes;

    ClosedLog(long number, long bytes) {
      this.number = number;
      this.bytes = bytes;
    }

    long number() {
      return number;
    }

    long bytes() {
      return bytes;
    }
  }

  /** Of a filter with nothing in it. */
  static Manifest first(long id, SlotShape shape, KeyHash keyHash, int pageBytes) {
    return new Manifest(
        id, shape, keyHash, pageBytes, 1, 2, 1, 1, List.of(), Doubt.none(shape), List.of());
  }

  /** The same, by a writer with such a level in memory and such a fan-out. */
  Manifest by(long newMemoryEntries, int newFanOut) {
    return new Manifest(
        id,
        shape,
        keyHash,
        pageBytes,
        newMemoryEntries,
        newFanOut,
        nextFile,
        firstLog,
        closed,
        doubt,
        levels);
  }

  /** The same, of a filter that is closed. */
  Manifest closed(List<ClosedLog> logs) {
    return new Manifest(
        id,
        shape,
        keyHash,
        pageBytes,
        memoryEntries,
        fanOut,
        nextFile,
        firstLog,
        List.copyOf(logs),
        doubt,
        levels);
  }

  /** The same filter with other levels, newest first, and another first log. */
  Manifest with(long newNextFile, long newFirstLog, Doubt newDoubt, List<LevelEntry> newLevels) {
    return new Manifest(
        id,
        shape,
        keyHash,
        pageBytes,
        memoryEntries,
        fanOut,
        newNextFile,
        newFirstLog,
        closed.stream().filter(log -> log.number >= newFirstLog).collect(Collectors.toList()),
        newDoubt,
        List.copyOf(newLevels));
  }

  /** Another filter with the same levels and no logs. */
  Manifest withId(long newId) {
    return new Manifest(
        newId,
        shape,
        keyHash,
        pageBytes,
        memoryEntries,
        fanOut,
        nextFile,
        1,
        List.of(),
        doubt,
        levels);
  }

  /** Whether filters of both can share levels. */
  boolean isLike(Manifest other) {
    return shape.equals(other.shape) && keyHash == other.keyHash && pageBytes == other.pageBytes;
  }

  /** What a directory cannot change. */
  String describe() {
    return "fingerprints of "
        + shape.fingerprintBits()
        + " bits, "
        + (shape.deletes() ? "deletes" : "no deletes")
        + ", keys hashed by "
        + keyHash.label()
        + " and pages of "
        + pageBytes
        + " bytes";
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(MAGIC).append(' ').append(VERSION).append('\n');
    text.append("id ").append(hex(id)).append('\n');
    text.append("fingerprint-bits ").append(shape.fingerprintBits()).append('\n');
    text.append("deletes ").append(shape.deletes() ? 1 : 0).append('\n');
    text.append("key-hash ").append(keyHash.id()).append('\n');
    text.append("page-bytes ").append(pageBytes).append('\n');
    text.append("memory-entries ").append(memoryEntries).append('\n');
    text.append("fan-out ").append(fanOut).append('\n');
    text.append("next-file ").append(nextFile).append('\n');
    text.append("first-log ").append(firstLog).append('\n');
    for (ClosedLog log : closed) {
      text.append("closed-log ").append(log.number).append(' ').append(log.bytes).append('\n');
    }
    for (Doubt.Range range : doubt.ranges()) {
      text.append("doubt ").append(range.from()).append(' ').append(range.to()).append('\n');
    }
    for (LevelEntry level : levels) {
      text.append("level ").append(level.number).append(' ').append(level.rank).append(' ');
      text.append(level.entries).append(' ').append(level.pages).append(' ');
      text.append(hex(level.id)).append('\n');
    }
    return text + "crc32c " + crc(text.toString()) + "\n";
  }

  private static String hex(long id) {
    return String.format("%016x", id);
  }

  static String crc(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    return String.format("%08x", crc.getValue());
  }

  /**
   * Makes it the directory's manifest.
   *
   * <p>A rename that fails may have been done all the same, as on NFS. So nobody knows which one is
   * there then, as after a failed fsync.
   *
   * @return whether it is the directory's, and safe from a power failure; if not, either of the two
   *     may be there, and the files of both must stay
   * @throws IOException if it is not the directory's manifest, and the old one is
   */
  boolean write(FileAccess access, Path directory) throws IOException {
    return write(access, directory, NAME, text());
  }

  /** The same for another text, which is small. */
  static boolean write(FileAccess access, Path directory, String name, String text)
      throws IOException {
    Path temporary = directory.resolve(name + ".new");
    access.delete(temporary);
    try (FlashFile file = FlashFile.create(access, temporary, false)) {
      file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
      file.force();
    }
    access.forceDirectory(directory); // what it names is there before it names it
    try {
      access.replace(temporary, directory.resolve(name));
      access.forceDirectory(directory);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      return false;
    }
  }

  static boolean isThere(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  /** Reads a directory's manifest. */
  static Manifest read(Path directory) throws IOException {
    Path path = directory.resolve(NAME);
    if (Files.size(path) > MAX_BYTES) {
      throw damaged(path, "it is larger than any manifest", null);
    }
    String text = Files.readString(path, StandardCharsets.ISO_8859_1);
    String[] first = text.split("\n", 2)[0].split(" ", -1);
    if (first.length == 2 && first[0].equals(MAGIC) && first[1].matches("[0-9]{1,9}")) {
      if (Integer.parseInt(first[1]) != VERSION) {
        throw new FilterFormatException(
            path
                + " is of version "
                + first[1]
                + ", and this is a reader of version "
                + VERSION
                + ": open the directory with the release that wrote it, or insert the keys into a"
                + " new directory");
      }
    }
    try {
      Manifest manifest = parse(text);
      if (!manifest.text().equals(text)) {
        throw new FilterFormatException("checksum or form is wrong");
      }
      return manifest;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw damaged(path, e.getMessage(), e);
    }
  }

  private static FilterFormatException damaged(Path path, String reason, Throwable cause) {
    return new FilterFormatException(
        path
            + " is damaged ("
            + reason
            + "): "
            + CascadeDirectory.WHAT_TO_DO
            + "; nothing was changed in this one",
        cause);
  }

  private static Manifest parse(String text) {
    String[] lines = text.split("\n", -1);
    check(lines.length >= FIRST_LEVEL + 2, "lines are missing");
    check(lines[0].equals(MAGIC + " " + VERSION), "it does not begin as a manifest does");
    check(lines[1].startsWith("id "), "its id is missing");
    long id = Long.parseUnsignedLong(lines[1].substring("id ".length()), 16);
    int fingerprintBits = (int) value(lines[2], "fingerprint-bits");
    check(
        fingerprintBits >= SlotShape.MIN_FINGERPRINT_BITS
            && fingerprintBits <= SlotShape.MAX_FINGERPRINT_BITS,
        "fingerprints of " + fingerprintBits + " bits");
    long deletes = value(lines[3], "deletes");
    SlotShape shape = new SlotShape(fingerprintBits, deletes == 1);
    KeyHash keyHash = KeyHash.ofId((int) value(lines[4], "key-hash"));
    int pageBytes = (int) value(lines[5], "page-bytes");
    CascadeOptions.defaults().pageBytes(pageBytes);
    long memoryEntries = value(lines[6], "memory-entries");
    check(memoryEntries >= 1, lines[6]);
    int fanOut = (int) value(lines[7], "fan-out");
    CascadeOptions.checkFanOut(fanOut);
    long nextFile = value(lines[8], "next-file");
    long firstLog = value(lines[9], "first-log");
    List<ClosedLog> closed = new ArrayList<>();
    List<Doubt.Range> doubt = new ArrayList<>();
    List<LevelEntry> levels = new ArrayList<>();
    Set<Long> numbers = new HashSet<>();
    for (int i = FIRST_LEVEL; i < lines.length - 2; i++) {
      String[] words = lines[i].split(" ", -1);
      if (words.length == 3 && words[0].equals("closed-log") && doubt.isEmpty()) {
        closed.add(new ClosedLog(Long.parseLong(words[1]), Long.parseLong(words[2])));
        check(levels.isEmpty() && closed.get(closed.size() - 1).number >= firstLog, lines[i]);
        continue;
      }
      if (words.length == 3 && words[0].equals("doubt") && levels.isEmpty()) {
        addDoubt(doubt, words, shape, "line " + (i + 1));
        continue;
      }
      check(words.length == 6 && words[0].equals("level"), "line " + (i + 1));
      LevelEntry level =
          new LevelEntry(
              Long.parseLong(words[1]),
              Integer.parseInt(words[2]),
              Long.parseLong(words[3]),
              Integer.parseInt(words[4]),
              Long.parseUnsignedLong(words[5], 16));
      check(
          level.number >= 1
              && level.number < nextFile
              && numbers.add(level.number)
              && level.rank >= 1
              && level.pages >= 1
              && level.pages <= LevelFile.MOST_PAGES
              && level.entries >= level.pages,
          "line " + (i + 1));
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
        List.copyOf(closed),
        Doubt.of(shape, doubt),
        List.copyOf(levels));
  }

  private static void addDoubt(
      List<Doubt.Range> ranges, String[] words, SlotShape shape, String line) {
    Doubt.Range range = new Doubt.Range(Long.parseLong(words[1]), Long.parseLong(words[2]));
    long least = ranges.isEmpty() ? 0 : ranges.get(ranges.size() - 1).to() + 1;
    check(
        range.from() >= least
            && range.to() > range.from()
            && range.to() <= 1L << shape.fenceBits()
            && ranges.size() < Doubt.MOST_RANGES,
        line);
    ranges.add(range);
  }

  private static long value(String line, String key) {
    check(line.startsWith(key + " "), key + " is missing");
    long value = Long.parseLong(line.substring(key.length() + 1));
    check(value >= 0 && value <= Long.MAX_VALUE / 2, line);
    return value;
  }

  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new FilterFormatException(message);
    }
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

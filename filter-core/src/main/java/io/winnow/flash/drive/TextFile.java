package io.winnow.flash.drive;

import io.winnow.FilterFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Function;
import java.util.zip.CRC32C;

/**
 * A small text file that describes a directory: one line for each key and its values. The first
 * line has the kind of file and its version, the last one a checksum. It is replaced as a whole: a
 * new file is written and synced beside it and renamed over it, and the directory is synced.
 * Schema-critical.
 */
public final class TextFile {
  private static final long MAX_BYTES = 1 << 20;
  private static final String CHECKSUM = "crc32c ";

  private TextFile() {}

  // ---- Writing ----

  /** Builder of the text of a file that describes a directory. */
  public static final class Writer {
    private final StringBuilder text = new StringBuilder();

    /** Begins the text of a file with its kind and version. */
    public Writer(String kind, int version) {
      line(kind, version);
    }

    /** Adds a line to the text: a key and its values, separated by spaces. */
    public Writer line(String key, Object... values) {
      text.append(key);
      for (Object value : values) {
        text.append(' ').append(value);
      }
      text.append('\n');
      return this;
    }

    /** Returns the lines that were added to the text, with their checksum in one more line. */
    public String text() {
      return text + CHECKSUM + crc(text.toString().getBytes(StandardCharsets.UTF_8)) + "\n";
    }
  }

  /** Returns the text of an id: 16 hexadecimal digits. */
  public static String hex(long id) {
    return String.format("%016x", id);
  }

  private static String crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return String.format("%08x", crc.getValue());
  }

  /** Returns the name that a new file has until it takes effect. */
  public static String temporary(String name) {
    return name + ".new";
  }

  /**
   * Replaces the file of this name in a directory atomically by one with another text.
   *
   * <p>A failed rename may have been done nevertheless, on NFS for example. Then it is unknown
   * which file has the name, as after a failed fsync.
   *
   * @return true if the new file is in place and synced; false if either file may be in place, so
   *     that all files that one of them names must stay
   * @throws IOException if the old file is still in place
   */
  public static boolean replace(FileAccess access, Path directory, String name, String text)
      throws IOException {
    prepare(access, directory, name, text);
    try {
      access.replace(directory.resolve(temporary(name)), directory.resolve(name));
      access.forceDirectory(directory);
      return true;
    } catch (IOException | RuntimeException | Error e) {
      return false;
    }
  }

  /** Writes and syncs a text file under its temporary name, where it has no effect yet. */
  public static void prepare(FileAccess access, Path directory, String name, String text)
      throws IOException {
    Path temporary = directory.resolve(temporary(name));
    access.delete(temporary);
    try (FlashFile file = FlashFile.create(access, temporary, false)) {
      file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
      file.force();
    }
    access.forceDirectory(directory); // the files that the text names exist before it
  }

  /**
   * Renames a text file from its temporary to its final name, where none was before, and syncs the
   * directory. If the fsync fails, the file gets its temporary name back, since an opening would
   * take it for synced.
   */
  public static void commit(FileAccess access, Path directory, String name) throws IOException {
    Path temporary = directory.resolve(temporary(name));
    Path target = directory.resolve(name);
    access.replace(temporary, target);
    Opening.syncOrUndo(access, directory, () -> access.replace(target, temporary));
  }

  // ---- Reading ----

  /** Reader of the lines of a text file, one after the other. */
  public static final class Reader {
    private final Path path;
    private final String remedy;
    private final String text;
    private final String[] lines;
    private int next = 1;

    private Reader(Path path, String remedy, String text) {
      this.path = path;
      this.remedy = remedy;
      this.text = text;
      this.lines = text.split("\n", -1);
    }

    /** Returns whether the next line of the file has this key. */
    public boolean isNext(String key) {
      return next < lines.length && (lines[next].equals(key) || lines[next].startsWith(key + " "));
    }

    /**
     * Returns the value in the file's next line, which must have this key; empty if the line has
     * only the key.
     */
    public String value(String key) {
      if (!isNext(key)) {
        throw damaged(key + " is missing", null);
      }
      String line = lines[next++];
      return line.equals(key) ? "" : line.substring(key.length() + 1);
    }

    /**
     * Returns the words of the value in the file's next line, of which there must be {@code count}.
     */
    public String[] words(String key, int count) {
      String[] words = value(key).split(" ", -1);
      check(words.length == count, key + " has " + words.length + " words");
      return words;
    }

    /** Returns the value in the file's next line as a number from 0 up to 2^62, exclusive. */
    public long number(String key) {
      return number(key, 0, Long.MAX_VALUE / 2);
    }

    /**
     * Returns the value in the file's next line as a number within bounds, inclusive.
     *
     * @throws NumberFormatException if it is no number
     */
    public long number(String key, long min, long max) {
      long number = Long.parseLong(value(key));
      check(number >= min && number <= max, key + " " + number);
      return number;
    }

    /**
     * Returns the value in the file's next line as an id, which is written as 16 hexadecimal
     * digits.
     *
     * @throws NumberFormatException if it is none
     */
    public long id(String key) {
      return Long.parseUnsignedLong(value(key), 16);
    }

    /**
     * Checks a condition on the content of the text file.
     *
     * @throws FilterFormatException with the reason, if the condition is false
     */
    public void check(boolean condition, String reason) {
      if (!condition) {
        throw damaged(reason, null);
      }
    }

    /** Returns an exception that says that the text file is damaged, with the remedy. */
    private FilterFormatException damaged(String reason, Throwable cause) {
      return FlashDirectory.damaged(path + " is damaged (" + reason + ")", remedy, cause);
    }
  }

  /**
   * Reads a text file, and checks that its lines are exactly as a writer writes them.
   *
   * @param parser reads the content from the lines after the first one; its
   *     IllegalArgumentException, for example of a number, counts as damage
   * @param writer returns the text of a content
   * @throws FilterFormatException if it is damaged, of another kind or of another version
   */
  public static <T> T read(
      Path path,
      String kind,
      int version,
      String remedy,
      Function<Reader, T> parser,
      Function<T, String> writer)
      throws IOException {
    Reader lines = read(path, kind, version, remedy);
    try {
      T content = parser.apply(lines);
      boolean same = writer.apply(content).equals(lines.text);
      lines.check(same, "its lines are not as a writer writes them");
      return content;
    } catch (IllegalArgumentException e) {
      throw e instanceof FilterFormatException ? e : lines.damaged(e.getMessage(), e);
    }
  }

  /**
   * Reads a text file and checks its first line and its checksum.
   *
   * @param remedy advice for messages about a damaged file
   * @throws FilterFormatException if the file is of another kind or version, or damaged
   */
  public static Reader read(Path path, String kind, int version, String remedy) throws IOException {
    byte[] bytes = Files.size(path) > MAX_BYTES ? new byte[0] : Files.readAllBytes(path);
    Reader reader = new Reader(path, remedy, new String(bytes, StandardCharsets.UTF_8));
    String[] first = reader.lines[0].split(" ", -1);
    boolean isOfThisKind = first[0].equals(kind);
    if (!isOfThisKind && hasItsChecksum(bytes)) {
      throw new FilterFormatException(
          String.format(
              "%s is of kind %s, not %s: open the directory as that kind, or give another one",
              path, first[0], kind));
    }
    reader.check(
        isOfThisKind && first.length == 2 && first[1].matches("[0-9]{1,9}"),
        "it does not begin with " + kind);
    if (Integer.parseInt(first[1]) != version) {
      throw new FilterFormatException(
          String.format(
              "%s is of version %s, but this release reads version %s: open the directory with"
                  + " the release that wrote it, or start again in a new directory",
              path, first[1], version));
    }
    reader.check(hasItsChecksum(bytes), "its checksum is wrong");
    return reader;
  }

  /** Returns whether the last line of a text file is the right checksum. */
  private static boolean hasItsChecksum(byte[] bytes) {
    int crcBytes = CHECKSUM.length() + 9;
    int end = Math.max(0, bytes.length - crcBytes);
    String last = new String(bytes, end, bytes.length - end, StandardCharsets.UTF_8);
    return last.equals(CHECKSUM + crc(Arrays.copyOf(bytes, end)) + "\n");
  }

  /** Returns the number after a prefix in a file's name, or -1 if the name has another form. */
  public static long numberOf(String name, String prefix) {
    String digits = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    return digits.matches("[1-9][0-9]{0,17}") ? Long.parseLong(digits) : -1;
  }
}

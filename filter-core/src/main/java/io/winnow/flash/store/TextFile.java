package io.winnow.flash.store;

import io.winnow.FilterFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A small file that says what a directory is: lines of text, each a key and its value. The first
 * line has the kind of file and its version, the last one a checksum. It is replaced whole: written
 * beside the old one, made safe, renamed over it, and the directory made safe. Schema-critical.
 */
public final class TextFile {
  private static final long MAX_BYTES = 1 << 20;
  private static final String CHECKSUM = "crc32c ";

  private TextFile() {}

  // ---- Writing ----

  /** The text of a file, line by line. */
  public static final class Writer {
    private final StringBuilder text = new StringBuilder();

    public Writer(String kind, int version) {
      line(kind, version);
    }

    /** Adds a line: a key, and what it has, each after a space. */
    public Writer line(String key, Object... values) {
      text.append(key);
      for (Object value : values) {
        text.append(' ').append(value);
      }
      text.append('\n');
      return this;
    }

    /** The text with its checksum. */
    public String text() {
      return text + CHECKSUM + crc(text.toString().getBytes(StandardCharsets.UTF_8)) + "\n";
    }
  }

  /** A random number as it stands in a line. */
  public static String hex(long id) {
    return String.format("%016x", id);
  }

  private static String crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return String.format("%08x", crc.getValue());
  }

  /** What a file is called until it counts. */
  public static String temporary(String name) {
    return name + ".new";
  }

  /**
   * Makes it the directory's file of this name.
   *
   * <p>A rename that fails may have been done all the same, as on NFS. So nobody knows which one is
   * there then, as after a failed fsync.
   *
   * @return whether it is the directory's, and safe from a power failure; if not, either of the two
   *     may be there, and what both name must stay
   * @throws IOException if it is not the directory's, and the old one is
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

  /** Writes it beside the place where it counts, safe from a power failure. */
  public static void prepare(FileAccess access, Path directory, String name, String text)
      throws IOException {
    Path temporary = directory.resolve(temporary(name));
    access.delete(temporary);
    try (FlashFile file = FlashFile.create(access, temporary, false)) {
      file.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
      file.force();
    }
    access.forceDirectory(directory); // what it names is there before it names it
  }

  /**
   * Makes a file, which is safe beside its place, the first one that counts; safe from a power
   * failure. If its fsync fails, it is beside its place again: an opening would take it for safe.
   */
  public static void commit(FileAccess access, Path directory, String name) throws IOException {
    access.replace(directory.resolve(temporary(name)), directory.resolve(name));
    try {
      access.forceDirectory(directory);
    } catch (IOException e) {
      try {
        access.replace(directory.resolve(name), directory.resolve(temporary(name)));
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  // ---- Reading ----

  /** The lines of a file, one after the other. */
  public static final class Reader {
    private final Path path;
    private final String whatToDo;
    private final String text;
    private final String[] lines;
    private int next = 1;

    private Reader(Path path, String whatToDo, String text) {
      this.path = path;
      this.whatToDo = whatToDo;
      this.text = text;
      this.lines = text.split("\n", -1);
    }

    /** Whether the next line has this key. */
    public boolean isNext(String key) {
      return next < lines.length && (lines[next].equals(key) || lines[next].startsWith(key + " "));
    }

    /** What the next line has after this key, which must be there; empty if it has no more. */
    public String value(String key) {
      if (!isNext(key)) {
        throw damaged(key + " is missing", null);
      }
      String line = lines[next++];
      return line.equals(key) ? "" : line.substring(key.length() + 1);
    }

    /** The same as words, of which there must be so many. */
    public String[] words(String key, int count) {
      String[] words = value(key).split(" ", -1);
      check(words.length == count, key + " has " + words.length + " words");
      return words;
    }

    /** The same as a number from 0 on, below 2^62. */
    public long number(String key) {
      return number(key, 0, Long.MAX_VALUE / 2);
    }

    public long number(String key, long least, long most) {
      String value = value(key);
      try {
        long number = Long.parseLong(value);
        check(number >= least && number <= most, key + " " + value);
        return number;
      } catch (NumberFormatException e) {
        throw damaged(key + " " + value, e);
      }
    }

    /** The same as {@link #hex} writes it. */
    public long id(String key) {
      String value = value(key);
      try {
        return Long.parseUnsignedLong(value, 16);
      } catch (NumberFormatException e) {
        throw damaged(key + " " + value, e);
      }
    }

    public void check(boolean condition, String reason) {
      if (!condition) {
        throw damaged(reason, null);
      }
    }

    /**
     * To be called at the end: {@code again} is the text of what was read, and must be the same.
     */
    public void checkSame(String again) {
      check(again.equals(text), "lines or bytes are not as they are written");
    }

    public FilterFormatException damaged(String reason, Throwable cause) {
      return new FilterFormatException(
          String.format(
              "%s is damaged (%s): %s; nothing was changed in this directory",
              path, reason, whatToDo),
          cause);
    }
  }

  /**
   * Reads a file.
   *
   * @param whatToDo what is left to do if it is damaged, for messages
   * @throws FilterFormatException if it is none, or damaged, or of another version
   */
  public static Reader read(Path path, String kind, int version, String whatToDo)
      throws IOException {
    byte[] bytes = Files.size(path) > MAX_BYTES ? new byte[0] : Files.readAllBytes(path);
    Reader reader = new Reader(path, whatToDo, new String(bytes, StandardCharsets.UTF_8));
    String[] first = reader.lines[0].split(" ", -1);
    boolean isOfThisKind = first[0].equals(kind);
    if (!isOfThisKind && hasItsChecksum(bytes)) {
      throw new FilterFormatException(
          String.format(
              "%s says %s, and not %s: open the directory as what it is, or give another one",
              path, first[0], kind));
    }
    reader.check(
        isOfThisKind && first.length == 2 && first[1].matches("[0-9]{1,9}"),
        "it does not begin with " + kind);
    if (Integer.parseInt(first[1]) != version) {
      throw new FilterFormatException(
          String.format(
              "%s is of version %s, and this is a reader of version %s: open the directory with"
                  + " the release that wrote it, or begin anew in a new directory",
              path, first[1], version));
    }
    reader.check(hasItsChecksum(bytes), "its checksum is wrong");
    return reader;
  }

  private static boolean hasItsChecksum(byte[] bytes) {
    int crcBytes = CHECKSUM.length() + 9;
    int end = Math.max(0, bytes.length - crcBytes);
    String last = new String(bytes, end, bytes.length - end, StandardCharsets.UTF_8);
    return last.equals(CHECKSUM + crc(Arrays.copyOf(bytes, end)) + "\n");
  }

  /** The number in a file's name after a prefix, or -1 if it is not one of ours. */
  public static long numberOf(String name, String prefix) {
    String digits = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
    return digits.matches("[1-9][0-9]{0,17}") ? Long.parseLong(digits) : -1;
  }
}

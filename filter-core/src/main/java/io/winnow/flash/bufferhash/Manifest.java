package io.winnow.flash.bufferhash;

import io.winnow.FilterFormatException;
import io.winnow.flash.store.FileAccess;
import io.winnow.flash.store.FlashFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The geometry of a directory, in lines of text, the last of them a checksum. It is written once,
 * when the directory is made. Schema-critical.
 */
final class Manifest {
  static final String NAME = "MANIFEST";
  static final String TEMPORARY_NAME = "MANIFEST.new";

  private static final String MAGIC = "winnow-bufferhash";
  private static final int VERSION = 2;
  private static final long MAX_BYTES = 1 << 16;

  private Manifest() {}

  static String text(Geometry geometry) {
    String text =
        MAGIC
            + " "
            + VERSION
            + "\nid "
            + String.format("%016x", geometry.id())
            + "\nkeys "
            + (geometry.keyed() ? 1 : 0)
            + "\nmax-key-bytes "
            + geometry.maxKeyBytes()
            + "\nmax-value-bytes "
            + geometry.maxValueBytes()
            + "\nflash-bytes "
            + geometry.flashBytes()
            + "\npage-bytes "
            + geometry.pageBytes()
            + "\nerase-block-bytes "
            + geometry.eraseBlockBytes()
            + "\nincarnation-bytes "
            + geometry.incarnationBytes()
            + "\nsuper-tables "
            + geometry.superTables()
            + "\nincarnations "
            + geometry.slots()
            + "\nindex-pages "
            + geometry.indexPages()
            + "\n";
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    return text + String.format("crc32c %08x\n", crc.getValue());
  }

  /** Writes it beside the place where it counts; safe from a power failure. */
  static void prepare(FileAccess access, Path directory, Geometry geometry) throws IOException {
    Path temporary = directory.resolve(TEMPORARY_NAME);
    access.delete(temporary);
    try (FlashFile file = FlashFile.create(access, temporary, false)) {
      file.write(ByteBuffer.wrap(text(geometry).getBytes(StandardCharsets.US_ASCII)), 0);
      file.force();
    }
  }

  static void commit(FileAccess access, Path directory) throws IOException {
    access.replace(directory.resolve(TEMPORARY_NAME), directory.resolve(NAME));
    access.forceDirectory(directory);
  }

  /**
   * Reads a directory's manifest.
   *
   * @throws FilterFormatException if it is damaged or of another version
   */
  static Geometry read(Path directory) throws IOException {
    Path path = directory.resolve(NAME);
    if (Files.size(path) > MAX_BYTES) {
      throw damaged(path, "it is larger than any manifest", null);
    }
    String text = Files.readString(path, StandardCharsets.ISO_8859_1);
    String[] first = text.split("\n", 2)[0].split(" ", -1);
    if (first.length == 2
        && first[0].equals(MAGIC)
        && first[1].matches("[0-9]{1,9}")
        && Integer.parseInt(first[1]) != VERSION) {
      throw new FilterFormatException(
          path
              + " is of version "
              + first[1]
              + ", and this is a reader of version "
              + VERSION
              + ": open the directory with the release that wrote it, or begin a new one");
    }
    try {
      String[] lines = text.split("\n", -1);
      Geometry geometry =
          new Geometry(
              value(lines, 2, "keys") == 1,
              (int) value(lines, 3, "max-key-bytes"),
              (int) value(lines, 4, "max-value-bytes"),
              value(lines, 5, "flash-bytes"),
              (int) value(lines, 6, "page-bytes"),
              (int) value(lines, 7, "erase-block-bytes"),
              (int) value(lines, 8, "incarnation-bytes"),
              (int) value(lines, 9, "super-tables"),
              (int) value(lines, 10, "incarnations"),
              (int) value(lines, 11, "index-pages"),
              id(lines));
      if (!text(geometry).equals(text)) {
        throw new IllegalArgumentException("checksum or form is wrong");
      }
      return geometry;
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw damaged(path, e.getMessage(), e);
    }
  }

  private static long id(String[] lines) {
    if (!lines[1].startsWith("id ")) {
      throw new IllegalArgumentException("id is missing");
    }
    return Long.parseUnsignedLong(lines[1].substring("id ".length()), 16);
  }

  private static long value(String[] lines, int line, String key) {
    if (!lines[line].startsWith(key + " ")) {
      throw new IllegalArgumentException(key + " is missing");
    }
    return Long.parseLong(lines[line].substring(key.length() + 1));
  }

  private static FilterFormatException damaged(Path path, String reason, Throwable cause) {
    return new FilterFormatException(
        path
            + " is damaged ("
            + reason
            + "): put it back from a copy of the whole directory, or begin a new one; nothing was"
            + " changed in this one",
        cause);
  }
}

package io.winnow.hbase.dedup;

import io.winnow.FilterFormatException;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What a directory says of itself: whose rows its filter has, and how far it is filled. Lines of
 * text, the last of them a checksum; replaced whole, by a rename. Schema-critical: {@code
 * docs/dedup.md}.
 *
 * @param table with its namespace
 * @param cluster the id that HBase gave itself
 * @param column family and qualifier by which a row is known to be there, in hexadecimal digits
 * @param mark family and row of the table's mark
 * @param id of this directory: the mark's qualifier ends with it
 * @param openings how often it was opened; the mark has the same, or one less
 * @param filledTo while it is filled: the last row that is in, safely; empty before the first, null
 *     when all are in
 */
record Identity(
    String table,
    String cluster,
    List<String> column,
    List<String> mark,
    KeyHash hash,
    String id,
    long openings,
    byte[] filledTo) {
  static final String NAME = "DEDUP";

  /** A copy would not do: the rows that were written after it was made are not in it. */
  static final String BEGIN_ANEW =
      ". Begin with a new directory: it is filled with the rows that the table has";

  private static final String TEMPORARY_NAME = "DEDUP.new";
  private static final String MAGIC = "winnow-dedup 1";
  private static final int MAX_BYTES = 1 << 20;

  Identity withOpenings(long count) {
    return new Identity(table, cluster, column, mark, hash, id, count, filledTo);
  }

  Identity filledTo(byte[] row) {
    return new Identity(table, cluster, column, mark, hash, id, openings, row);
  }

  boolean isFilled() {
    return filledTo == null;
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  String text() {
    String text =
        String.join(
            "\n",
            MAGIC,
            "table " + table,
            "cluster " + cluster,
            "column " + String.join(" ", column),
            "mark " + String.join(" ", mark),
            "hash " + hash.id(),
            "id " + id,
            "openings " + openings,
            filledTo == null ? "filled" : "filled-to " + hex(filledTo),
            "");
    return text + "crc32c " + crc(text) + "\n";
  }

  private static String crc(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return String.format("%08x", crc.getValue());
  }

  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  /**
   * Reads a directory's.
   *
   * @throws FilterFormatException if it is damaged or of another version
   */
  static Identity read(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.size(file) > MAX_BYTES) {
      throw damaged(file, null);
    }
    return parse(Files.readString(file, StandardCharsets.UTF_8), file);
  }

  static Identity parse(String text, Path file) {
    if (!text.startsWith(MAGIC + "\n")) {
      throw new FilterFormatException(file + " is not of this version, or no de-duplicator's");
    }
    int end = text.lastIndexOf("crc32c ");
    if (end < 0 || !text.substring(end).equals("crc32c " + crc(text.substring(0, end)) + "\n")) {
      throw damaged(file, null);
    }
    Deque<String> lines = new ArrayDeque<>(text.substring(0, end).lines().skip(1).toList());
    try {
      Identity read =
          new Identity(
              value(lines, "table"),
              value(lines, "cluster"),
              List.of(value(lines, "column").split(" ", -1)),
              List.of(value(lines, "mark").split(" ", -1)),
              KeyHash.ofId(Integer.parseInt(value(lines, "hash"))),
              value(lines, "id"),
              Long.parseLong(value(lines, "openings")),
              filledTo(lines));
      if (!lines.isEmpty()
          || read.column.size() != 2
          || read.mark.size() != 2
          || read.openings < 1) {
        throw damaged(file, null);
      }
      return read;
    } catch (IllegalArgumentException e) {
      throw damaged(file, e);
    }
  }

  private static byte[] filledTo(Deque<String> lines) {
    if ("filled".equals(lines.peek())) {
      lines.remove();
      return null;
    }
    return HexFormat.of().parseHex(value(lines, "filled-to"));
  }

  private static String value(Deque<String> lines, String name) {
    String line = lines.isEmpty() ? "" : lines.remove();
    if (!line.startsWith(name + " ")) {
      throw new IllegalArgumentException("no " + name);
    }
    return line.substring(name.length() + 1);
  }

  private static FilterFormatException damaged(Path file, Exception why) {
    return new FilterFormatException(file + " is damaged" + BEGIN_ANEW, why);
  }

  /** Makes it the directory's, safe from a power failure when this returns. */
  void write(Path directory) throws IOException {
    Path temporary = directory.resolve(TEMPORARY_NAME);
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text().getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(temporary, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}

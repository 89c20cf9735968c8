package io.winnow.hbase.dedup;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * The identity of a de-duplicator's directory: the table that its filter belongs to, and how far it
 * is filled. The file is lines of text, the last of them a checksum; it is replaced as a whole, by
 * a rename. Schema-critical: {@code docs/format/dedup-v1.md}.
 *
 * @param table the table's name with its namespace
 * @param cluster the id that HBase gave itself
 * @param column family and qualifier whose cell shows that a row is present, in hexadecimal digits
 * @param mark family and row of the table's mark
 * @param id the id of this directory; the mark's qualifier ends with it
 * @param openings number of openings; the mark has the same number, or one less
 * @param filledTo the last row that is safely in the filter, while it is being filled; empty before
 *     the first row, null when all rows are in
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

  /**
   * Advice to the user in messages about a de-duplicator's directory that does not fit the table.
   * Restoring a copy of the directory would be wrong: rows that were written after the copy was
   * made are not in it.
   */
  static final String BEGIN_ANEW =
      "begin with a new directory, which is filled with the rows that the table has";

  private static final String KIND = "winnow-dedup";
  private static final int VERSION = 1;

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
    TextFile.Writer text =
        new TextFile.Writer(KIND, VERSION)
            .line("table", table)
            .line("cluster", cluster)
            .line("column", String.join(" ", column))
            .line("mark", String.join(" ", mark))
            .line("hash", hash.id())
            .line("id", id)
            .line("openings", openings);
    return (isFilled() ? text.line("filled") : text.line("filled-to", hex(filledTo))).text();
  }

  static boolean isIn(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  /**
   * Reads the identity of a de-duplicator's directory.
   *
   * @throws FilterFormatException if it is damaged or of another version
   */
  static Identity read(Path directory) throws IOException {
    return TextFile.read(
        directory.resolve(NAME), KIND, VERSION, BEGIN_ANEW, Identity::parse, Identity::text);
  }

  private static Identity parse(TextFile.Reader lines) {
    return new Identity(
        lines.value("table"),
        lines.value("cluster"),
        List.of(lines.words("column", 2)),
        List.of(lines.words("mark", 2)),
        KeyHash.ofId((int) lines.number("hash")),
        lines.value("id"),
        lines.number("openings", 1, Long.MAX_VALUE),
        lines.isNext("filled") ? null : HexFormat.of().parseHex(lines.value("filled-to")));
  }

  /**
   * Replaces the identity of a de-duplicator's directory by this one. It is safe from a power
   * failure when this method returns.
   */
  void write(FileAccess access, Path directory) throws IOException {
    if (!TextFile.replace(access, directory, NAME, text())) {
      throw new IOException(
          directory.resolve(NAME)
              + " cannot be synced, and a power failure may leave the previous one: check the"
              + " drive, and open the directory again");
    }
  }
}

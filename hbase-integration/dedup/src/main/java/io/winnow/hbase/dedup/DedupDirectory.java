package io.winnow.hbase.dedup;

import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.cascade.CascadeFilter;
import io.winnow.flash.drive.Opening;
import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * An open directory of a de-duplicator, with its filter. Its filter, already filled, is in {@code
 * filter/}; the file {@code DEDUP} says which table the filter belongs to. A fact counts only if
 * both table and directory state it.
 */
record DedupDirectory(KeyHash hash, CascadeFilter filter) {
  private static final String FILTER = "filter";

  /**
   * Name of the cascade filter's manifest, a file without which the filter would begin anew and be
   * empty. A filter without it would begin anew and be empty.
   */
  private static final String MANIFEST = "MANIFEST";

  static DedupDirectory open(Connection connection, Path directory, DedupOptions options)
      throws IOException {
    Path inner = directory.resolve(FILTER);
    if (Identity.isIn(directory) && !Files.exists(inner.resolve(MANIFEST))) {
      throw new IOException(directory + " has lost its filter: " + Identity.BEGIN_ANEW);
    }
    CascadeFilter filter = openFilter(directory, inner, options); // locks the directory
    return Opening.orClose(
        filter,
        () -> {
          Identity identity =
              Identity.isIn(directory)
                  ? reopen(connection, directory, options)
                  : create(connection, directory, options);
          if (!identity.isFilled()) {
            identity = new Filling(options, filter, directory, identity).run(connection);
          }
          return new DedupDirectory(identity.hash(), filter);
        });
  }

  /**
   * Opens the cascade filter of a de-duplicator's directory. Replaces the usual advice for a
   * damaged filter, which is to restore a copy: a copy would miss rows that were written since.
   */
  private static CascadeFilter openFilter(Path directory, Path inner, DedupOptions options)
      throws IOException {
    try {
      return CascadeFilter.open(inner, options.filter);
    } catch (FilterFormatException | DamagedPageException e) {
      throw new IOException(
          "the filter in " + directory + " is damaged: " + Identity.BEGIN_ANEW, e);
    }
  }

  /**
   * Writes the mark of a new directory into the HBase table, then the identity into the directory.
   * A directory without a mark in the table is refused, so a crash between the two is safe.
   */
  private static Identity create(Connection connection, Path directory, DedupOptions options)
      throws IOException {
    requireTable(connection, options);
    Identity identity = expected(connection, options, UUID.randomUUID().toString());
    TableMark mark = new TableMark(connection, options, identity.id());
    mark.openings(directory); // has no mark of this directory; warns of other directories
    mark.write(identity.openings());
    identity.write(options.filter.fileAccess(), directory);
    return identity;
  }

  private static void requireTable(Connection connection, DedupOptions options) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(options.table)) {
        throw new WrongTableException("there is no table " + options.table);
      }
      ColumnFamilyDescriptor family =
          admin.getDescriptor(options.table).getColumnFamily(options.markFamily);
      if (family == null || family.getTimeToLive() != HConstants.FOREVER) {
        throw new WrongTableException(
            "the table %s %s %s: the mark needs a family without a time to live"
                .formatted(
                    options.table,
                    family == null ? "has no family" : "has a time to live in",
                    Bytes.toStringBinary(options.markFamily)));
      }
    }
  }

  private static Identity expected(Connection connection, DedupOptions options, String id)
      throws IOException {
    return new Identity(
        options.table.getNameWithNamespaceInclAsString(),
        connection.getClusterId(),
        List.of(Identity.hex(options.family), Identity.hex(options.qualifier)),
        List.of(Identity.hex(options.markFamily), Identity.hex(options.markRow)),
        KeyHash.XXH3,
        id,
        1,
        new byte[0]);
  }

  /**
   * Opens a de-duplicator's directory that was opened before, and adds one to the count of openings
   * in the directory and in the HBase table.
   */
  private static Identity reopen(Connection connection, Path directory, DedupOptions options)
      throws IOException {
    Identity identity = Identity.read(directory);
    requireSame(directory, identity, expected(connection, options, identity.id()), options);
    requireTable(connection, options);
    TableMark mark = new TableMark(connection, options, identity.id());
    long known = requireMark(directory, identity, mark.openings(directory), options);
    Identity opened = identity.withOpenings(known + 1);
    opened.write(options.filter.fileAccess(), directory);
    mark.write(opened.openings());
    return opened;
  }

  private static void requireSame(
      Path directory, Identity is, Identity expected, DedupOptions options)
      throws WrongTableException {
    if (!is.table().equals(expected.table())) {
      throw new WrongTableException(
          directory + " is for the table " + is.table() + ", and not for " + options.table);
    }
    if (!is.cluster().equals(expected.cluster())) {
      throw new WrongTableException(
          "%s is for the table %s of another cluster: its cluster is %s, this one is %s"
              .formatted(directory, options.table, is.cluster(), expected.cluster()));
    }
    if (!is.column().equals(expected.column()) || !is.mark().equals(expected.mark())) {
      throw new WrongTableException(
          directory
              + " was made for another column or another place of the mark: open it with those, or"
              + " begin with a new directory");
    }
  }

  /**
   * Checks that the counts of openings in a de-duplicator's directory and in its HBase table fit
   * each other. The directory's count is raised before the table's, so after a crash between the
   * two it may be one ahead. A table that was restored to the opening before looks the same. It
   * does no harm: the filter has more rows than the table.
   *
   * @return the table's count
   */
  private static long requireMark(
      Path directory, Identity identity, OptionalLong mark, DedupOptions options)
      throws WrongTableException {
    if (mark.isEmpty()) {
      throw new WrongTableException(
          "the table %s has no mark of %s: it was truncated, made anew, or restored to a time before"
                  .formatted(options.table, directory)
              + " the directory was made: "
              + Identity.BEGIN_ANEW);
    }
    long ahead = identity.openings() - mark.getAsLong();
    String counts =
        " (openings: %d in the directory, %d in the table)"
            .formatted(identity.openings(), mark.getAsLong());
    if (ahead < 0) {
      throw new WrongTableException(
          "%s is older than its mark in the table %s%s: it is a copy, and rows that were written since"
                  .formatted(directory, options.table, counts)
              + " are not in it: "
              + Identity.BEGIN_ANEW);
    }
    if (ahead > 1) {
      throw new WrongTableException(
          "the table %s is older than %s%s: it was restored; "
                  .formatted(options.table, directory, counts)
              + Identity.BEGIN_ANEW);
    }
    return mark.getAsLong();
  }
}

package io.winnow.hbase.settings;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Checks if a file belongs to one of HBase's own tables, which get the stock filter. An exception
 * is a table for which {@link SystemTables} marked that the table itself sets another filter.
 *
 * <p>Each file that is written is checked here, even if {@link SystemTables} is off.
 */
public final class SystemFiles {
  /**
   * Configuration key that marks a system table in the configurations of its stores. {@link
   * SystemTables} sets it.
   */
  static final String MARK = "winnow.internal.system.table";

  /** Name of the table that a master keeps for itself, outside the namespace of system tables. */
  private static final String MASTERS_OWN = "master:store";

  private static final String SYSTEM_NAMESPACE =
      NamespaceDescriptor.SYSTEM_NAMESPACE_NAME_STR + TableName.NAMESPACE_DELIM;

  private static final String SYSTEM_DIRECTORY = "data/hbase";

  private SystemFiles() {}

  /**
   * Returns true if a file gets the stock filter because it belongs to a system table, and nothing
   * shows that this table itself sets a filter.
   *
   * @param context the context of the file's writer; null if unknown
   * @param file the place of the file; null if unknown
   */
  public static boolean keepStockFilter(Configuration conf, HFileContext context, Path file) {
    byte[] table = context == null ? null : context.getTableName();
    boolean isSystem =
        table == null ? isInSystemDirectory(conf, file) : isSystem(Bytes.toString(table));
    return isSystem && conf.get(MARK) == null;
  }

  /**
   * Returns true if a name is that of one of HBase's system tables. The name may be that of no
   * table: a tool writes the name it gets.
   */
  static boolean isSystem(String table) {
    return table.startsWith(SYSTEM_NAMESPACE) || table.equals(MASTERS_OWN);
  }

  /**
   * Returns true if a file lies in the directory of HBase's system tables. Needed for files that do
   * not name their table, as those that recovery writes.
   */
  static boolean isInSystemDirectory(Configuration conf, Path file) {
    String root = conf.get(HConstants.HBASE_DIR);
    if (root == null || file == null) {
      return false;
    }
    String directory = new Path(root, SYSTEM_DIRECTORY).toUri().getPath();
    return file.toUri().getPath().startsWith(directory + Path.SEPARATOR);
  }
}

package io.winnow.hbase.settings;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Tells the files of HBase's own tables, which get the stock filter unless {@link SystemTables}
 * marked that the table asks for itself.
 *
 * <p>Each file that is written is looked at here, also where {@link SystemTables} is off.
 */
public final class SystemFiles {
  /** Set where a system table asks for itself, if it does. */
  static final String MARK = "winnow.internal.system.table";

  /** The table that a master keeps for itself, outside the system's namespace. */
  private static final String MASTERS_OWN = "master:store";

  private static final String SYSTEM_NAMESPACE =
      NamespaceDescriptor.SYSTEM_NAMESPACE_NAME_STR + TableName.NAMESPACE_DELIM;

  private static final String SYSTEM_DIRECTORY = "data/hbase";

  private SystemFiles() {}

  /** Whether the file is a system table's that has not asked for itself, as far as one knows. */
  public static boolean keepStockFilter(Configuration conf, HFile.Writer writer) {
    HFileContext context = writer.getFileContext();
    byte[] table = context == null ? null : context.getTableName();
    boolean isSystem =
        table == null
            ? isInSystemDirectory(conf, writer.getPath())
            : isSystem(Bytes.toString(table));
    return isSystem && conf.get(MARK) == null;
  }

  /** By its name, which may be no table's: a tool writes what it is told. */
  static boolean isSystem(String table) {
    return table.startsWith(SYSTEM_NAMESPACE) || table.equals(MASTERS_OWN);
  }

  /** Not every file says its table: those that recovery writes do not. */
  static boolean isInSystemDirectory(Configuration conf, Path file) {
    String root = conf.get(HConstants.HBASE_DIR);
    if (root == null || file == null) {
      return false;
    }
    String directory = new Path(root, SYSTEM_DIRECTORY).toUri().getPath();
    return file.toUri().getPath().startsWith(directory + Path.SEPARATOR);
  }
}

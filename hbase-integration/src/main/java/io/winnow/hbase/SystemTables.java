package io.winnow.hbase;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what hbase-site.xml says about filters to the tables of users. HBase's own tables get the
 * stock filter, except where their own descriptor, the table's or the family's, names another one.
 *
 * <p>A store lays its table's and family's settings over the site's. For a system table, a layer
 * with the stock filter comes between, and marks the configuration: without the mark nobody knows
 * who asked, and then a system table's file gets the stock filter.
 */
public final class SystemTables {
  private static final Logger LOG = LoggerFactory.getLogger(SystemTables.class);

  /** Set where a system table asks for itself, if it does. */
  private static final String MARK = "winnow.internal.system.table";

  private static final Map<String, String> BELOW_TABLE =
      Map.of(WinnowSettings.FILTER, "bloom", MARK, "true");

  /** The table that a master keeps for itself, outside the system's namespace. */
  private static final String MASTERS_OWN = "master:store";

  private static final String SYSTEM_DIRECTORY = "data/hbase";

  private SystemTables() {}

  /**
   * Asked by {@code StoreUtils.createStoreConfiguration}: what the table's and the family's
   * settings are laid over. Throws nothing.
   */
  public static Configuration below(Configuration site, TableDescriptor table) {
    try {
      return isSystem(table.getTableName())
          ? new CompoundConfiguration().add(site).addStringMap(BELOW_TABLE)
          : site;
    } catch (Throwable e) { // whatever it is, the region has to open
      LOG.error("Cannot tell whether {} is a system table", table, e);
      return site;
    }
  }

  /** Whether the file is a system table's that has not asked for itself, as far as one knows. */
  static boolean keepStockFilter(Configuration conf, HFile.Writer writer) {
    HFileContext context = writer.getFileContext();
    byte[] table = context == null ? null : context.getTableName();
    boolean isSystem =
        table == null
            ? isInSystemDirectory(conf, writer.getPath())
            : isSystem(TableName.valueOf(table));
    return isSystem && conf.get(MARK) == null;
  }

  private static boolean isSystem(TableName table) {
    return table.isSystemTable() || table.getNameAsString().equals(MASTERS_OWN);
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

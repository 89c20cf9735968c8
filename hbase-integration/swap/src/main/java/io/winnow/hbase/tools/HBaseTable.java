package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.settings.FamilyConfiguration;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.util.FSUtils;

/** A table of HBase, read from its files below HBase's root directory without a server. */
final class HBaseTable {
  final TableDescriptor descriptor;
  private final Path directory;

  HBaseTable(TableDescriptor descriptor, Path directory) {
    this.descriptor = descriptor;
    this.directory = directory;
  }

  /**
   * Returns the HBase table with the given name, read from its files.
   *
   * @throws IOException with a sentence for the user, if there is no such table
   */
  static HBaseTable named(Configuration conf, String name) throws IOException {
    TableName table;
    try {
      table = TableName.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new IOException("'" + name + "' is no name of a table: " + e.getMessage(), e);
    }
    Path root = CommonFSUtils.getRootDir(conf);
    Path directory = CommonFSUtils.getTableDir(root, table);
    try {
      return at(root.getFileSystem(conf), directory);
    } catch (FileNotFoundException e) {
      throw new IOException(
          isOfHBase(conf, root)
              ? "there is no table " + name + " under " + root + " (hbase.rootdir)"
              : noHBase(root),
          e);
    }
  }

  /** Returns true if a directory is the root directory of an HBase. */
  private static boolean isOfHBase(Configuration conf, Path root) throws IOException {
    return root.getFileSystem(conf).exists(new Path(root, HConstants.BASE_NAMESPACE_DIR));
  }

  /** Returns the end of a message on a missing file: what to do if no HBase is configured. */
  static String hint(Configuration conf) throws IOException {
    Path root = CommonFSUtils.getRootDir(conf);
    return isOfHBase(conf, root) ? "" : "; " + noHBase(root);
  }

  private static String noHBase(Path root) {
    return "there is no HBase under "
        + root
        + " (hbase.rootdir): set HBASE_CONF_DIR to the directory of its hbase-site.xml";
  }

  /** Returns the table in whose directory a store file lies; null if the file lies elsewhere. */
  static HBaseTable around(Configuration conf, StoreFile file) {
    Path directory = file.tableDirectory();
    if (directory == null || directory.isRoot()) {
      return null;
    }
    try {
      return at(directory.getFileSystem(conf), directory);
    } catch (IOException e) {
      return null; // the file is outside a table, or its table cannot be read
    }
  }

  /** Returns true if HBase's root directory has a table with the given name. */
  static boolean exists(Configuration conf, String name) throws IOException {
    try {
      Path root = CommonFSUtils.getRootDir(conf);
      Path directory = CommonFSUtils.getTableDir(root, TableName.valueOf(name));
      return root.getFileSystem(conf).exists(directory);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns all tables below HBase's root directory, including HBase's own. */
  static List<HBaseTable> all(Configuration conf, Crew crew, Progress counting)
      throws IOException, InterruptedException {
    Path root = CommonFSUtils.getRootDir(conf);
    FileSystem fs = root.getFileSystem(conf);
    List<HBaseTable> tables =
        new ArrayList<>(
            crew.map(
                FSUtils.getTableDirs(fs, root),
                directory -> {
                  counting.add(0);
                  try {
                    return at(fs, directory);
                  } catch (FileNotFoundException e) {
                    return null; // dropped since the listing, or not complete yet
                  }
                }));
    tables.removeIf(Objects::isNull);
    if (tables.isEmpty()) {
      throw new IOException(noHBase(root));
    }
    tables.sort(Comparator.comparing(HBaseTable::name));
    return tables;
  }

  private static HBaseTable at(FileSystem fs, Path directory) throws IOException {
    TableDescriptor descriptor = FSTableDescriptors.getTableDescriptorFromFs(fs, directory);
    if (descriptor == null) {
      throw new FileNotFoundException("no descriptor in " + directory);
    }
    return new HBaseTable(descriptor, directory);
  }

  boolean hasFamily(String family) {
    return descriptor.hasColumnFamily(Bytes.toBytesBinary(family));
  }

  String name() {
    return descriptor.getTableName().getNameAsString();
  }

  /** Returns true if a table is one of HBase's own tables, such as hbase:meta. */
  boolean isOfHBase() {
    return descriptor.getTableName().isSystemTable();
  }

  /**
   * Returns all store files of a table, store by store. A region that was split or merged is left
   * out while others read its files, because the files count there.
   *
   * @param counting shows the elapsed time while directories are listed
   */
  List<StoreFile> files(Configuration conf, Crew crew, Progress counting)
      throws IOException, InterruptedException {
    FileSystem fs = directory.getFileSystem(conf);
    Set<String> tracked = new HashSet<>();
    for (ColumnFamilyDescriptor family : descriptor.getColumnFamilies()) {
      if (TrackedNames.areKept(FamilyConfiguration.of(conf, descriptor, family))) {
        tracked.add(Bytes.toString(family.getName()));
      }
    }
    List<StoreFile> files = new ArrayList<>();
    for (List<StoreFile> ofRegion :
        crew.map(
            StoreFile.directories(fs, directory),
            region -> {
              counting.add(0);
              return ofRegion(conf, fs, region, tracked);
            })) {
      files.addAll(ofRegion);
    }
    Set<String> replaced = new HashSet<>();
    for (StoreFile file : files) {
      if (file.half != null) {
        replaced.add(StoreFileInfo.getReferredToFile(file.path).getParent().getParent().getName());
      }
    }
    files.removeIf(file -> file.half == null && replaced.contains(file.region));
    return files;
  }

  private static List<StoreFile> ofRegion(
      Configuration conf, FileSystem fs, Path region, Set<String> tracked) throws IOException {
    List<StoreFile> files = new ArrayList<>();
    for (Path store : StoreFile.directories(fs, region)) {
      files.addAll(
          StoreFile.inStore(
              conf,
              fs,
              store,
              tracked.contains(store.getName()) ? TrackedNames.of(fs, store) : null));
    }
    return files;
  }
}

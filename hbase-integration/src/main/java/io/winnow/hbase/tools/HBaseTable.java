package io.winnow.hbase.tools;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.util.FSUtils;

/**
 * A table as it lies under HBase's root directory: no server is asked, and none need run.
 *
 * @param directory of its regions
 */
record HBaseTable(TableDescriptor descriptor, Path directory) {
  /**
   * A table by its name.
   *
   * @throws IOException with a sentence for the user, if there is none
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
          "there is no table "
              + name
              + " under "
              + root
              + " (hbase.rootdir): is the configuration of HBase on the class path?",
          e);
    }
  }

  /** All tables, HBase's own among them. */
  static List<HBaseTable> all(Configuration conf) throws IOException {
    Path root = CommonFSUtils.getRootDir(conf);
    FileSystem fs = root.getFileSystem(conf);
    List<HBaseTable> tables = new ArrayList<>();
    for (Path directory : FSUtils.getTableDirs(fs, root)) {
      try {
        tables.add(at(fs, directory));
      } catch (FileNotFoundException e) {
        // Dropped meanwhile, or being made.
      }
    }
    if (tables.isEmpty()) {
      throw new IOException(
          "there is no table under "
              + root
              + " (hbase.rootdir): is the configuration of HBase on the class path?");
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

  String name() {
    return descriptor.getTableName().getNameAsString();
  }

  List<StoreFile> files(Configuration conf) throws IOException {
    return StoreFile.ofTable(conf, directory);
  }
}

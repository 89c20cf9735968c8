package io.winnow.hbase.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;

/**
 * A store file, by where it lies: {@code .../TABLE/REGION/FAMILY/FILE}.
 *
 * @param region the encoded name
 * @param data where its bytes are: of a link or a reference, another file
 * @param isHalf whether it is a reference, which a split leaves: half of another file
 */
record StoreFile(Path path, String region, String family, Path data, boolean isHalf) {

  /** The store that it belongs to, for people. */
  String store() {
    return region + "/" + family;
  }

  /** A file that is named by itself. */
  static StoreFile of(Configuration conf, Path path) throws IOException {
    Path family = path.getParent();
    Path region = family == null ? null : family.getParent();
    String name = path.getName();
    String ofRegion = region == null || region.isRoot() ? "" : region.getName();
    String ofFamily = family == null || family.isRoot() ? "" : family.getName();
    FileSystem fs = path.getFileSystem(conf);
    if (HFileLink.isHFileLink(name)) {
      return new StoreFile(path, ofRegion, ofFamily, target(conf, fs, path), false);
    }
    if (StoreFileInfo.isReference(name)) {
      Path whole = StoreFileInfo.getReferredToFile(path);
      return new StoreFile(
          path,
          ofRegion,
          ofFamily,
          HFileLink.isHFileLink(whole) ? target(conf, fs, whole) : whole,
          true);
    }
    return new StoreFile(path, ofRegion, ofFamily, path, false);
  }

  private static Path target(Configuration conf, FileSystem fs, Path link) throws IOException {
    return HFileLink.buildFromHFileLinkPattern(conf, link).getAvailablePath(fs);
  }

  /** All store files of a table's directory, region by region. */
  static List<StoreFile> ofTable(Configuration conf, Path table) throws IOException {
    List<StoreFile> files = new ArrayList<>();
    FileSystem fs = table.getFileSystem(conf);
    for (FileStatus region : directories(fs, table)) {
      for (FileStatus family : directories(fs, region.getPath())) {
        addFiles(conf, fs, family.getPath(), files);
      }
    }
    return files;
  }

  /**
   * A file; or all store files in a directory: a family's, a region's, or a table's.
   *
   * @throws IOException with a sentence for the user, if there is nothing
   */
  static List<StoreFile> under(Configuration conf, Path path) throws IOException {
    FileSystem fs = path.getFileSystem(conf);
    FileStatus status;
    try {
      status = fs.getFileStatus(path);
    } catch (java.io.FileNotFoundException e) {
      throw new IOException("there is no file or directory " + path, e);
    }
    Path whole = fs.makeQualified(path);
    if (!status.isDirectory()) {
      return List.of(of(conf, whole));
    }
    List<StoreFile> files = new ArrayList<>();
    addFiles(conf, fs, whole, files);
    for (FileStatus below : directories(fs, whole)) {
      addFiles(conf, fs, below.getPath(), files);
      for (FileStatus family : directories(fs, below.getPath())) {
        addFiles(conf, fs, family.getPath(), files);
      }
    }
    if (files.isEmpty()) {
      throw new IOException("there is no store file in " + path);
    }
    return files;
  }

  private static void addFiles(
      Configuration conf, FileSystem fs, Path directory, List<StoreFile> files) throws IOException {
    for (FileStatus file : sorted(fs.listStatus(directory))) {
      if (isVisible(file) && StoreFileInfo.isValid(file)) {
        files.add(of(conf, file.getPath()));
      }
    }
  }

  private static List<FileStatus> directories(FileSystem fs, Path path) throws IOException {
    return sorted(fs.listStatus(path)).stream()
        .filter(status -> status.isDirectory() && isVisible(status))
        .filter(status -> !status.getPath().getName().equals("recovered.edits"))
        .toList();
  }

  private static boolean isVisible(FileStatus status) {
    String name = status.getPath().getName();
    return !name.startsWith(".") && !name.startsWith("_");
  }

  private static List<FileStatus> sorted(FileStatus[] all) {
    return Arrays.stream(all).sorted(Comparator.comparing(FileStatus::getPath)).toList();
  }
}

package io.winnow.hbase.tools;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.FileLink;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.HFileArchiveUtil;

/** A store file and its place in HBase's directories: {@code .../TABLE/REGION/FAMILY/FILE}. */
final class StoreFile {
  private static final String DATA = "data";
  private static final String MOB = "mobdir";

  final Path path;

  /** Encoded name of the region that a store file belongs to. */
  final String region;

  final String family;

  /**
   * Paths at which the bytes of a store file may lie: its own, and that in the archive, where HBase
   * may move it. A link and a reference have the paths of another file.
   */
  final FileLink data;

  /**
   * Half of another store file that a reference file stands for; null if this file is no reference.
   */
  final Half half;

  StoreFile(Path path, String region, String family, FileLink data, Half half) {
    this.path = path;
    this.region = region;
    this.family = family;
    this.data = data;
    this.half = half;
  }

  /** Returns the name of a store to print: its region and its family. */
  String store() {
    return region + "/" + family;
  }

  /**
   * Returns the directory of the table that a store file belongs to; null if the file's path has
   * too few directories.
   */
  Path tableDirectory() {
    Path family = path.getParent();
    Path region = family == null ? null : family.getParent();
    return region == null ? null : region.getParent();
  }

  /** Returns the path that a file with the given name has in the same store. */
  Path beside(String name) {
    return new Path(path.getParent(), name);
  }

  /** Returns true if a file written to the given path would overwrite this store file. */
  boolean isAt(Path other) {
    return path.equals(other) || Arrays.asList(data.getLocations()).contains(other);
  }

  /**
   * Returns the store file at a path, where a link or a reference leads to the file that it names.
   */
  static StoreFile of(Configuration conf, Path path) throws IOException {
    Path family = path.getParent();
    Path region = family == null ? null : family.getParent();
    String name = path.getName();
    String ofRegion = region == null || region.isRoot() ? "" : region.getName();
    String ofFamily = family == null || family.isRoot() ? "" : family.getName();
    if (HFileLink.isHFileLink(name)) {
      FileLink target = HFileLink.buildFromHFileLinkPattern(conf, path);
      return new StoreFile(path, ofRegion, ofFamily, target, null);
    }
    Half half = StoreFileInfo.isReference(name) ? Half.read(path.getFileSystem(conf), path) : null;
    if (half != null) {
      Path whole = StoreFileInfo.getReferredToFile(path);
      FileLink target =
          HFileLink.isHFileLink(whole)
              ? HFileLink.buildFromHFileLinkPattern(conf, whole)
              : hereOrArchived(conf, whole);
      return new StoreFile(path, ofRegion, ofFamily, target, half);
    }
    return new StoreFile(path, ofRegion, ofFamily, hereOrArchived(conf, path), null);
  }

  private static FileLink hereOrArchived(Configuration conf, Path path) throws IOException {
    Path root = CommonFSUtils.getRootDir(conf);
    String below = below(root, path);
    if (below != null && below.startsWith(MOB + Path.SEPARATOR)) {
      below = below.substring(MOB.length() + 1);
    }
    return below != null && below.startsWith(DATA + Path.SEPARATOR)
        ? new FileLink(path, new Path(HFileArchiveUtil.getArchivePath(conf), below))
        : new FileLink(path);
  }

  /**
   * Returns the part of a path that is relative to a directory; null if the path is not below it.
   */
  private static String below(Path directory, Path path) {
    String start = directory.toUri().getPath() + Path.SEPARATOR;
    String whole = path.toUri().getPath();
    return whole.startsWith(start) ? whole.substring(start.length()) : null;
  }

  /**
   * Returns the store file at a path, or all store files in a directory of a family, a region or a
   * table.
   *
   * @throws IOException with a sentence for the user, if there is none
   */
  static List<StoreFile> under(Configuration conf, Path path) throws IOException {
    FileSystem fs;
    FileStatus status;
    try {
      fs = path.getFileSystem(conf);
      status = fs.getFileStatus(path);
    } catch (FileNotFoundException e) {
      throw new IOException("there is no file or directory " + path + HBaseTable.hint(conf), e);
    } catch (IOException e) { // without a site, hdfs:///path has no host
      throw new IOException(e.getMessage() + HBaseTable.hint(conf), e);
    }
    Path whole = fs.makeQualified(path);
    if (!status.isDirectory()) {
      return List.of(of(conf, whole));
    }
    List<StoreFile> files = new ArrayList<>(inStore(conf, fs, whole, null));
    for (Path below : directories(fs, whole)) {
      files.addAll(inStore(conf, fs, below, null));
      for (Path family : directories(fs, below)) {
        files.addAll(inStore(conf, fs, family, null));
      }
    }
    if (files.isEmpty()) {
      throw new IOException("there is no store file in " + path);
    }
    return files;
  }

  /**
   * Returns the store files in the directory of one store.
   *
   * @param tracked names of the files to return; null for all
   */
  static List<StoreFile> inStore(
      Configuration conf, FileSystem fs, Path directory, Set<String> tracked) throws IOException {
    List<StoreFile> files = new ArrayList<>();
    for (FileStatus file : sorted(fs, directory)) {
      String name = file.getPath().getName();
      if (isVisible(name)
          && (tracked == null || tracked.contains(name))
          && StoreFileInfo.isValid(file)) {
        try {
          files.add(of(conf, file.getPath()));
        } catch (FileNotFoundException e) {
          // A compaction replaced the reference since the listing.
        }
      }
    }
    return files;
  }

  /** Returns the directories of a table's regions or of a region's families. */
  static List<Path> directories(FileSystem fs, Path path) throws IOException {
    return sorted(fs, path).stream()
        .filter(FileStatus::isDirectory)
        .map(FileStatus::getPath)
        .filter(below -> isVisible(below.getName()) && !below.getName().equals("recovered.edits"))
        .collect(Collectors.toList());
  }

  private static boolean isVisible(String name) {
    return !name.startsWith(".") && !name.startsWith("_");
  }

  /**
   * Returns the entries of a directory in the order of their names; empty if the directory is gone.
   */
  private static List<FileStatus> sorted(FileSystem fs, Path directory) throws IOException {
    try {
      return Arrays.stream(fs.listStatus(directory))
          .sorted(Comparator.comparing(FileStatus::getPath))
          .collect(Collectors.toList());
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }
}

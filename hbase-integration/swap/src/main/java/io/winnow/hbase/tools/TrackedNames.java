package io.winnow.hbase.tools;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.shaded.protobuf.generated.StoreFileTrackerProtos.StoreFileEntry;
import org.apache.hadoop.hbase.shaded.protobuf.generated.StoreFileTrackerProtos.StoreFileList;

/**
 * Names of a store's files, from the list that HBase keeps if {@code hbase.store.file-tracker.impl}
 * is {@code FILE}. In such a store, files that are not in the list are unfinished or abandoned.
 */
final class TrackedNames {
  private static final String IMPLEMENTATION = "hbase.store.file-tracker.impl";
  private static final String DIRECTORY = ".filelist";
  private static final Pattern NAME = Pattern.compile("f[12](?:\\.(\\d+))?");
  private static final int MAX_BYTES = 16 << 20;

  private TrackedNames() {}

  /** Returns true if HBase keeps a list of the family's store files. */
  static boolean areKept(Configuration family) {
    return "FILE".equalsIgnoreCase(family.getTrimmed(IMPLEMENTATION));
  }

  /**
   * Returns the names of the store's files from HBase's newest list of them; empty if the store
   * never had a file.
   */
  static Set<String> of(FileSystem fs, Path store) throws IOException {
    FileStatus[] files;
    try {
      files = fs.listStatus(new Path(store, DIRECTORY));
    } catch (FileNotFoundException e) {
      return Set.of();
    }
    // HBase writes two files in turn, with a new number each time the region is opened.
    StoreFileList newest = null;
    long newestNumber = -1;
    for (FileStatus file : files) {
      Matcher name = NAME.matcher(file.getPath().getName());
      if (name.matches()) {
        long number = name.group(1) == null ? 0 : Long.parseLong(name.group(1));
        StoreFileList list = number < newestNumber ? null : read(fs, file.getPath());
        if (list != null
            && (newest == null
                || number > newestNumber
                || list.getTimestamp() > newest.getTimestamp())) {
          newest = list;
          newestNumber = number;
        }
      }
    }
    Set<String> names = new HashSet<>();
    if (newest != null) {
      for (StoreFileEntry entry : newest.getStoreFileList()) {
        names.add(entry.getName());
      }
    }
    return names;
  }

  /**
   * Reads a list of a store's files that HBase's store-file tracker wrote.
   *
   * @return null if the list is incomplete, because HBase is writing or replacing it
   */
  private static StoreFileList read(FileSystem fs, Path file) throws IOException {
    try (FSDataInputStream in = fs.open(file)) {
      int length = in.readInt();
      if (length <= 0 || length > MAX_BYTES) {
        return null;
      }
      byte[] bytes = new byte[length];
      in.readFully(bytes);
      CRC32 crc = new CRC32();
      crc.update(bytes);
      return in.readInt() == (int) crc.getValue() ? StoreFileList.parseFrom(bytes) : null;
    } catch (EOFException | FileNotFoundException e) {
      return null;
    }
  }
}

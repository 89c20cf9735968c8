package io.winnow.hbase.tools;

import io.winnow.hbase.FamilyFilters;
import io.winnow.hbase.FilterFacts;
import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/** A store file, its trailer and metas read: nothing else until it is asked for. */
final class OpenFile implements Closeable {
  private final HFile.Reader reader;
  private final FilterFacts general;
  private final FilterFacts deleteFamily;

  private OpenFile(HFile.Reader reader) throws IOException {
    this.reader = reader;
    this.general = FilterFacts.general(reader);
    this.deleteFamily = FilterFacts.deleteFamily(reader);
  }

  /** Opens a file for a look at what it says. */
  static OpenFile open(Configuration conf, Path path) throws IOException {
    return open(conf, path, CacheConfig.DISABLED);
  }

  /**
   * Opens a file.
   *
   * @param cache of its blocks
   * @throws IOException with a sentence for the user, if it is no store file, or a damaged one
   */
  static OpenFile open(Configuration conf, Path path, CacheConfig cache) throws IOException {
    FileSystem fs = path.getFileSystem(conf);
    HFile.Reader reader;
    try {
      reader = HFile.createReader(fs, path, cache, true, conf);
    } catch (IOException | RuntimeException e) {
      throw unusable(path, e);
    }
    try {
      return new OpenFile(reader);
    } catch (IOException | RuntimeException e) {
      reader.close();
      throw unusable(path, e);
    }
  }

  private static IOException unusable(Path path, Exception e) {
    Throwable cause = e;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String why = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    return new IOException(path + " is no store file that can be read: " + why, e);
  }

  HFile.Reader reader() {
    return reader;
  }

  /** Of the filter that Gets ask; null if there is none. */
  FilterFacts general() {
    return general;
  }

  /** Of the filter of delete-family markers; null if there is none. */
  FilterFacts deleteFamily() {
    return deleteFamily;
  }

  /** The label of the filter that Gets ask. */
  String filter() {
    return general == null ? FamilyFilters.NONE : general.filter();
  }

  long filterBytes() {
    return (general == null ? 0 : general.bytes())
        + (deleteFamily == null ? 0 : deleteFamily.bytes());
  }

  /** Null of an empty file. */
  byte[] firstRow() {
    return reader.getFirstRowKey().orElse(null);
  }

  /** Null of an empty file. */
  byte[] lastRow() {
    return reader.getLastRowKey().orElse(null);
  }

  /** Which part of a cell is the key of the filter that Gets ask. */
  BloomType type() {
    byte[] type = info(HStoreFile.BLOOM_FILTER_TYPE_KEY);
    return type == null ? BloomType.NONE : BloomType.valueOf(Bytes.toString(type));
  }

  /** The length of a row's prefix, for a filter of prefixes; else 0. */
  int prefix() {
    byte[] length = info(HStoreFile.BLOOM_FILTER_PARAM_KEY);
    return type() == BloomType.ROWPREFIX_FIXED_LENGTH && length != null ? Bytes.toInt(length) : 0;
  }

  long cells() {
    return reader.getEntries();
  }

  boolean isOfMajorCompaction() {
    byte[] flag = info(HStoreFile.MAJOR_COMPACTION_KEY);
    return flag != null && Bytes.toBoolean(flag);
  }

  /** Whether a compaction wrote it: then it names the files that it was made of. */
  boolean isOfCompaction() throws IOException {
    byte[] madeOf = info(HStoreFile.COMPACTION_EVENT_KEY);
    return madeOf != null && !ProtobufUtil.toCompactedStoreFiles(madeOf).isEmpty();
  }

  boolean isBulkLoaded() {
    return info(HStoreFile.BULKLOAD_TIME_KEY) != null;
  }

  /** In words. */
  String writtenBy() throws IOException {
    if (isBulkLoaded()) {
      return "a bulk load";
    }
    if (isOfMajorCompaction()) {
      return "a major compaction";
    }
    return isOfCompaction() ? "a minor compaction" : "a flush, or a tool";
  }

  private byte[] info(byte[] key) {
    return reader.getHFileInfo().get(key);
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}

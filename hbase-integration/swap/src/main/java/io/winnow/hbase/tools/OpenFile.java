package io.winnow.hbase.tools;

import io.winnow.hbase.cli.StoreFileTrouble;
import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.settings.FamilyFilters;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/** A store file, its trailer and metas read: nothing else until it is asked for. */
final class OpenFile implements Closeable {
  final StoreFile file;
  final HFile.Reader reader;
  private final double share;

  /** Of the filter that Gets ask; null if there is none. */
  final FilterFacts general;

  /** Of the filter of delete-family markers; null if there is none. */
  final FilterFacts deleteFamily;

  private OpenFile(StoreFile file, HFile.Reader reader) throws IOException {
    this.file = file;
    this.reader = reader;
    this.general = FilterFacts.general(reader);
    this.deleteFamily = FilterFacts.deleteFamily(reader);
    this.share =
        file.half == null || reader.getEntries() == 0
            ? 1
            : file.half.share(firstRowOfAll(), lastRowOfAll());
  }

  /** Opens a file for a look at what it says. */
  static OpenFile open(Configuration conf, StoreFile file) throws IOException {
    return open(conf, file, CacheConfig.DISABLED);
  }

  /**
   * Opens a file, in the archive if a compaction moved it there.
   *
   * @param cache of its blocks
   * @throws IOException with a sentence for the user, if it is no store file, or cannot be read
   */
  static OpenFile open(Configuration conf, StoreFile file, CacheConfig cache) throws IOException {
    FileSystem fs = file.path.getFileSystem(conf);
    HFile.Reader reader = null;
    try {
      reader = reader(conf, fs, file, cache);
      return new OpenFile(file, reader);
    } catch (IOException | RuntimeException | LinkageError e) {
      if (reader != null) {
        reader.close();
      }
      throw trouble(conf, file, e);
    }
  }

  private static HFile.Reader reader(
      Configuration conf, FileSystem fs, StoreFile file, CacheConfig cache) throws IOException {
    FSDataInputStreamWrapper stream = new FSDataInputStreamWrapper(fs, file.data, false, -1);
    try {
      ReaderContext context =
          new ReaderContextBuilder()
              .withFilePath(file.path)
              .withInputStreamWrapper(stream)
              .withFileSize(file.data.getFileStatus(fs).getLen())
              .withFileSystem(stream.getHfs())
              .withPrimaryReplicaReader(true)
              .withReaderType(ReaderContext.ReaderType.PREAD)
              .build();
      HFileInfo info = new HFileInfo(context, conf);
      HFile.Reader reader = HFile.createReader(context, info, cache, conf);
      info.initMetaAndIndex(reader);
      return reader;
    } catch (IOException | RuntimeException | LinkageError e) {
      stream.close();
      throw e;
    }
  }

  /** What a read of the file met, with a sentence for the user. */
  static IOException trouble(Configuration conf, StoreFile file, Throwable met) {
    try {
      FileSystem fs = file.path.getFileSystem(conf);
      Path data = file.data.getLocations()[0];
      for (Path path : file.data.getLocations()) {
        if (fs.exists(path)) {
          return StoreFileTrouble.of(fs, path, met);
        }
      }
      return data.equals(file.path)
          ? StoreFileTrouble.of(fs, data, met)
          : new IOException(file.path + " stands for " + data + ", which is not there", met);
    } catch (IOException | RuntimeException e) {
      return new IOException(StoreFileTrouble.sentence(file.path, met), met);
    }
  }

  /** The label of the filter that Gets ask. */
  String filter() {
    return general == null ? FamilyFilters.NONE : general.filter();
  }

  /** Of both filters; of a half of a file, about its part. */
  double filterBytes() {
    return share
        * ((general == null ? 0 : general.bytes())
            + (deleteFamily == null ? 0 : deleteFamily.bytes()));
  }

  /** Of both filters, without what prefixes take; of a half of a file, about its part. */
  double bytesOfRows() {
    double ofPrefixes =
        general == null || general.prefixes() == 0
            ? 0
            : generalBytes() * general.prefixes() / (general.keys() + general.prefixes());
    return filterBytes() - ofPrefixes;
  }

  /** Of the filter that Gets ask; of a half of a file, about its part. */
  double generalBytes() {
    return general == null ? 0 : share * general.bytes();
  }

  /** Of the filter that Gets ask, or as many as cells if there is none; about, of a half. */
  double keys() {
    return share * (general == null ? reader.getEntries() : general.keys());
  }

  /** On the disk; of a half of a file, about its part. */
  double bytes() {
    return share * reader.length();
  }

  /** Null of an empty file. */
  byte[] firstRow() {
    return file.half != null && file.half.isTop && share < 1 ? file.half.row : firstRowOfAll();
  }

  /** Null of an empty file. */
  byte[] lastRow() {
    return file.half != null && !file.half.isTop && share < 1 ? file.half.row : lastRowOfAll();
  }

  private byte[] firstRowOfAll() {
    return reader.getFirstRowKey().orElse(null);
  }

  private byte[] lastRowOfAll() {
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

  /** Of a half of a file, about its part. */
  long cells() {
    return Math.round(share * reader.getEntries());
  }

  /** Of the whole file, also where half of it is meant. */
  long allCells() {
    return reader.getEntries();
  }

  boolean isOfMajorCompaction() {
    byte[] flag = info(HStoreFile.MAJOR_COMPACTION_KEY);
    return flag != null && Bytes.toBoolean(flag);
  }

  /** Whether a compaction wrote it: then it names the files that it was made of. */
  boolean isOfCompaction() throws IOException {
    return !replaced().isEmpty();
  }

  /**
   * The names of files of its store that HBase does not read any more, since a compaction made this
   * one of them; they lie there until HBase removes them.
   */
  Set<String> replaced() throws IOException {
    byte[] madeOf = info(HStoreFile.COMPACTION_EVENT_KEY);
    return madeOf == null ? Set.of() : ProtobufUtil.toCompactedStoreFiles(madeOf);
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

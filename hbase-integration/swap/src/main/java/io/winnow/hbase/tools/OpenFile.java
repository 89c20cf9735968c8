package io.winnow.hbase.tools;

import io.winnow.FilterFormatException;
import io.winnow.hbase.cli.StoreFileTrouble;
import io.winnow.hbase.format.KeySegment;
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

/**
 * An open store file: its trailer and meta blocks are read, and its cells only on request. For a
 * half of a file, numbers are estimates for that half unless the method says otherwise.
 */
final class OpenFile implements Closeable {
  final StoreFile file;
  final HFile.Reader reader;
  private final double share;

  /** Facts about the filter that Gets query in a store file; null if the file has none. */
  final FilterFacts general;

  /** Facts about the filter of delete-family markers in a store file; null if the file has none. */
  final FilterFacts deleteFamily;

  /**
   * Segments of the rows of the whole file, also for a half of it; null if there are none, or if
   * they are damaged.
   */
  final KeySegment segment;

  /**
   * Reason why the segments of a store file cannot be used; null if they can, or if it has none.
   */
  final String segmentProblem;

  private OpenFile(StoreFile file, HFile.Reader reader) throws IOException {
    this.file = file;
    this.reader = reader;
    this.general = FilterFacts.general(reader);
    this.deleteFamily = FilterFacts.deleteFamily(reader);
    KeySegment ofFile = null;
    String problem = null;
    try {
      ofFile = KeySegment.in(reader.getHFileInfo());
    } catch (FilterFormatException e) {
      problem = e.getMessage();
    }
    this.segment = ofFile;
    this.segmentProblem = problem;
    this.share =
        file.half == null || reader.getEntries() == 0
            ? 1
            : file.half.share(firstRowOfAll(), lastRowOfAll());
  }

  /** Opens a store file without a block cache. */
  static OpenFile open(Configuration conf, StoreFile file) throws IOException {
    return open(conf, file, CacheConfig.DISABLED);
  }

  /**
   * Opens a store file with a given block cache, in the archive if HBase moved it there.
   *
   * @param cache cache for its blocks
   * @throws IOException with a sentence for the user, if it is not a store file, or cannot be read
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

  /**
   * Returns an exception that explains a failed read of a store file to the user.
   *
   * @param met the exception of the read
   */
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

  /** Returns the name of the store file's filter that Gets query, or <i>none</i>. */
  String filter() {
    return general == null ? FamilyFilters.NONE : general.filter;
  }

  /**
   * Returns the bytes of the store file's two filters: the one that Gets query, and the one of
   * delete-family markers.
   */
  double filterBytes() {
    return share
        * ((general == null ? 0 : general.bytes) + (deleteFamily == null ? 0 : deleteFamily.bytes));
  }

  /** Returns the bytes of the store file's filters, less the share that its row prefixes take. */
  double bytesOfRows() {
    double ofPrefixes =
        general == null || general.prefixes() == 0
            ? 0
            : generalBytes() * general.prefixes() / (general.keys + general.prefixes());
    return filterBytes() - ofPrefixes;
  }

  /** Returns the bytes of the store file's filter that Gets query; 0 if there is none. */
  double generalBytes() {
    return general == null ? 0 : share * general.bytes;
  }

  /**
   * Returns the number of keys in the store file's filter that Gets query, or the number of cells
   * if there is no filter.
   */
  double keys() {
    return share * (general == null ? reader.getEntries() : general.keys);
  }

  /** Returns the size of the store file in bytes. */
  double bytes() {
    return share * reader.length();
  }

  /**
   * Returns the first row of a store file, or the row at which its top half begins; null if the
   * file is empty.
   */
  byte[] firstRow() {
    return file.half != null && file.half.isTop && share < 1 ? file.half.row : firstRowOfAll();
  }

  /**
   * Returns the last row of a store file, or the row at which its bottom half ends; null if the
   * file is empty.
   */
  byte[] lastRow() {
    return file.half != null && !file.half.isTop && share < 1 ? file.half.row : lastRowOfAll();
  }

  private byte[] firstRowOfAll() {
    return reader.getFirstRowKey().orElse(null);
  }

  private byte[] lastRowOfAll() {
    return reader.getLastRowKey().orElse(null);
  }

  /**
   * Returns the Bloom type of the store file's filter, which says what part of a cell is its key.
   */
  BloomType type() {
    byte[] type = info(HStoreFile.BLOOM_FILTER_TYPE_KEY);
    return type == null ? BloomType.NONE : BloomType.valueOf(Bytes.toString(type));
  }

  /**
   * Returns the length in bytes of the row prefix that is a key of the store file's filter; 0 if
   * keys are not prefixes.
   */
  int prefix() {
    byte[] length = info(HStoreFile.BLOOM_FILTER_PARAM_KEY);
    return type() == BloomType.ROWPREFIX_FIXED_LENGTH && length != null ? Bytes.toInt(length) : 0;
  }

  /** Returns the rule of a file's segments; null if there are none, or if they are damaged. */
  String segmentRule() {
    return segment == null ? null : segment.rule.toString();
  }

  /** Returns the number of cells of a store file, or an estimate for a half of it. */
  long cells() {
    return Math.round(share * reader.getEntries());
  }

  /** Returns the number of cells of a whole store file, also if only a half of it is read. */
  long allCells() {
    return reader.getEntries();
  }

  boolean isOfMajorCompaction() {
    byte[] flag = info(HStoreFile.MAJOR_COMPACTION_KEY);
    return flag != null && Bytes.toBoolean(flag);
  }

  /**
   * Returns true if a compaction wrote the store file: its file info then lists the files that were
   * compacted.
   */
  boolean isOfCompaction() throws IOException {
    return !replaced().isEmpty();
  }

  /**
   * Returns the names of the store files that a compaction replaced by the open file, so that HBase
   * no longer reads them. They exist until HBase removes them.
   */
  Set<String> replaced() throws IOException {
    byte[] madeOf = info(HStoreFile.COMPACTION_EVENT_KEY);
    return madeOf == null ? Set.of() : ProtobufUtil.toCompactedStoreFiles(madeOf);
  }

  boolean isBulkLoaded() {
    return info(HStoreFile.BULKLOAD_TIME_KEY) != null;
  }

  /**
   * Returns the kind of operation that wrote the store file, in words, such as <i>a bulk load</i>.
   */
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

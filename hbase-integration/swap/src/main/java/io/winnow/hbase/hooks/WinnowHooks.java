package io.winnow.hbase.hooks;

import io.winnow.FilterFormatException;
import io.winnow.hbase.RepeatedLog;
import io.winnow.hbase.format.CellOrder;
import io.winnow.hbase.format.FilterMeta;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.Families;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.read.Interrupts;
import io.winnow.hbase.read.PeekedMeta;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.LocalIndexes;
import io.winnow.hbase.settings.MemoryLimit;
import io.winnow.hbase.settings.Occasion;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.StoreView;
import io.winnow.hbase.settings.SystemFiles;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import io.winnow.hbase.write.BuildMemory;
import io.winnow.hbase.write.WinnowChunkWriter;
import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hooks of HBase's {@code BloomFilterFactory}, by which Winnow's filters of files are written and
 * read in the place of HBase's. A hook that returns null leaves the work to stock code.
 *
 * <p>The writer hooks throw nothing. A family without a filter of ours in its settings is left to
 * stock code. A family whose settings cannot be followed gets the stock filter, which is counted
 * once for a file and logged for the first file, then at most once in some minutes ({@link
 * RepeatedLog}). The reader hooks throw exceptions after which HBase serves the file without its
 * filter. Thread-safe.
 */
public final class WinnowHooks {
  private static final Logger LOG = LoggerFactory.getLogger(WinnowHooks.class);

  /**
   * Writers of files that were already counted as files with the stock filter in place of Winnow's:
   * a file has up to two filters and is counted once.
   */
  private static final Set<HFile.Writer> COUNTED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /** Limit on log lines about wrong settings, which each flush of a family would repeat. */
  private static final RepeatedLog WRONG_SETTINGS = RepeatedLog.everyMinutes(10);

  /** Limit on log lines about files that get the stock filter because of the memory limit. */
  public static final RepeatedLog OUT_OF_ROOM = RepeatedLog.everyMinutes(1);

  /** Limit on log lines about failures of Winnow's code, which may be the same for all files. */
  public static final RepeatedLog FAILURES = RepeatedLog.everyMinutes(10);

  private WinnowHooks() {}

  /**
   * Returns the writer of a file's filter of rows, or of rows with a column. Called by {@code
   * createGeneralBloomAtWrite}.
   *
   * @param maxKeys the largest number of keys that the file may have; 0 if HBase does not report it
   * @return a {@code BloomFilterWriter}; or a {@code Configuration} with which stock code makes the
   *     stock filter; or null, and stock code uses its own configuration
   */
  public static Object generalWriter(
      Configuration conf, CacheConfig cacheConf, BloomType type, int maxKeys, HFile.Writer writer) {
    try {
      StoreView store = StoreView.of(writer);
      if (conf == null || type == null || !BloomFilterFactory.isGeneralBloomEnabled(conf)) {
        return null;
      }
      KeyKind kind = KeyKind.of(type);
      return kind == null ? null : writer(conf, cacheConf, kind, maxKeys, writer, store);
    } catch (Throwable e) {
      return failed(e, writer);
    }
  }

  /**
   * Returns the writer of a file's filter of delete-family markers. Called by {@code
   * createDeleteBloomAtWrite}.
   *
   * @param maxKeys the largest number of keys that the file may have; 0 if HBase does not report it
   * @return as {@link #generalWriter} does
   */
  public static Object deleteFamilyWriter(
      Configuration conf, CacheConfig cacheConf, int maxKeys, HFile.Writer writer) {
    try {
      StoreView store = StoreView.of(writer);
      if (conf == null || !BloomFilterFactory.isDeleteFamilyBloomEnabled(conf)) {
        return null;
      }
      return writer(conf, cacheConf, KeyKind.DELETE_FAMILY, maxKeys, writer, store);
    } catch (Throwable e) {
      return failed(e, writer);
    }
  }

  private static Object writer(
      Configuration conf,
      CacheConfig cacheConf,
      KeyKind kind,
      int maxKeys,
      HFile.Writer writer,
      StoreView store) {
    Occasion occasion = store == null ? Occasion.OTHER : store.occasion;
    WinnowSettings.FilterSetting filter = WinnowSettings.FilterSetting.in(conf, occasion);
    if (filter == null || !isInPlainOrder(writer) || keepsStockFilter(conf, writer)) {
      return null;
    }
    WinnowChunkWriter chunks = null;
    try {
      WinnowSettings settings = WinnowSettings.of(conf, kind, filter).inStore(store);
      if (settings.prefixRule != null && LocalIndexes.areIn(Bytes.toBytes(family(conf, writer)))) {
        settings = settings.withoutPrefixes();
      }
      boolean cacheOnWrite = cacheConf.shouldCacheBloomsOnWrite();
      long limit = MemoryLimit.ofThisJvm(conf);
      chunks = WinnowChunkWriter.of(settings, kind, cacheOnWrite, file(writer), maxKeys, limit);
      if (chunks != null) {
        writer.addInlineBlockWriter(chunks);
        return chunks;
      }
      if (isFirstFallback(writer, Fallback.MEMORY_LIMIT)) {
        warnOfMemory(limit, writer);
      }
    } catch (WrongSettingException e) {
      if (isFirstFallback(writer, Fallback.WRONG_SETTING)) {
        report(e, conf, writer);
      }
    } catch (Throwable e) {
      if (chunks != null) {
        chunks.discard(); // the file's writer may have it already
      }
      failed(e, writer);
    }
    return WinnowSettings.forStockFilter(conf);
  }

  /**
   * Counts a file that gets the stock filter in place of Winnow's, and returns true, unless it was
   * counted already for its other filter.
   */
  private static boolean isFirstFallback(HFile.Writer writer, Fallback reason) {
    boolean isFirst = writer == null || COUNTED.add(writer);
    if (isFirst) {
      reason.metric.count();
      countOfFamily(reason, writer);
    }
    return isFirst;
  }

  /**
   * Counts a file that gets the stock filter in place of Winnow's, in the metrics of the file's
   * family. A tool may write files of a table without a valid name.
   */
  private static void countOfFamily(Fallback reason, HFile.Writer writer) {
    try {
      HFileContext context = writer == null ? null : writer.getFileContext();
      if (context != null && context.getTableName() != null && context.getColumnFamily() != null) {
        Families.of(TableName.valueOf(context.getTableName()), context.getColumnFamily())
            .countFallback(reason);
      }
    } catch (Throwable e) {
      LOG.debug("Cannot count a fallback for its family", e);
    }
  }

  private static void report(WrongSettingException wrong, Configuration conf, HFile.Writer writer) {
    String family = family(conf, writer);
    long heldBack =
        WRONG_SETTINGS.next(Arrays.asList(table(writer), family, wrong.key, wrong.value));
    if (heldBack != RepeatedLog.HELD_BACK) {
      LOG.error(
          "Column family '{}': {} is '{}', must be {}. The stock Bloom filter is used for {}{}",
          family,
          wrong.key,
          wrong.value,
          wrong.allowed(),
          file(writer),
          more(heldBack));
    }
  }

  private static String table(HFile.Writer writer) {
    HFileContext context = writer.getFileContext();
    byte[] table = context == null ? null : context.getTableName();
    return table == null ? "" : Bytes.toStringBinary(table);
  }

  private static void warnOfMemory(long limit, HFile.Writer writer) {
    long heldBack = OUT_OF_ROOM.next(OUT_OF_ROOM);
    if (heldBack != RepeatedLog.HELD_BACK) {
      LOG.warn(
          "The filter of {} would take filters under construction, {} bytes now, beyond {} bytes"
              + " ({}). The stock Bloom filter is used{}",
          file(writer),
          BuildMemory.bytesInUse(),
          limit,
          Setting.BUILD_MEMORY_LIMIT.key,
          more(heldBack));
    }
  }

  /** Returns the end of a log line, with the number of files whose lines were held back. */
  private static String more(long heldBack) {
    return heldBack == 0
        ? ""
        : ", and was for "
            + heldBack
            + (heldBack == 1 ? " more file" : " more files")
            + " since the last line";
  }

  /** Counts and logs a failure of Winnow's code, and returns null, which means the stock filter. */
  private static Object failed(Throwable cause, HFile.Writer writer) {
    try {
      if (!isFirstFallback(writer, Fallback.FAILURE)) {
        return null;
      }
      long heldBack = FAILURES.next(cause.getClass());
      if (heldBack != RepeatedLog.HELD_BACK) {
        LOG.error(
            "Cannot make a Winnow filter. The stock Bloom filter is used for {}{}",
            file(writer),
            more(heldBack),
            cause);
      }
    } catch (Throwable again) {
      // A line is not worth the file.
    }
    return null;
  }

  /**
   * Returns true if a file's cells are in the order of their bytes, by which chunks are found.
   * Cells of hbase:meta are not.
   */
  private static boolean isInPlainOrder(HFile.Writer writer) {
    HFileContext context = writer.getFileContext();
    return context != null && CellOrder.isByBytes(context.getCellComparator());
  }

  private static boolean keepsStockFilter(Configuration conf, HFile.Writer writer) {
    return SystemFiles.keepStockFilter(conf, writer.getFileContext(), writer.getPath());
  }

  private static String family(Configuration conf, HFile.Writer writer) {
    HFileContext context = writer.getFileContext();
    byte[] family = context == null ? null : context.getColumnFamily();
    if (family != null) {
      return Bytes.toStringBinary(family);
    }
    String ofTool = conf.get(BulkLoadHooks.FAMILY);
    if (ofTool != null) {
      return ofTool;
    }
    Path path = writer.getPath(); // a store file's directory has the name of its family
    return path == null || path.getParent() == null ? "unknown" : path.getParent().getName();
  }

  private static String file(HFile.Writer writer) {
    return String.valueOf(writer.getPath());
  }

  /**
   * Returns the stream of a filter's meta block with the version number read ahead. Called by
   * {@code createFromMeta}. Stock code can still read the block from the beginning.
   *
   * @throws IOException if the version cannot be read
   */
  public static DataInput peeked(DataInput meta) throws IOException {
    try {
      return PeekedMeta.of(meta);
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw unusable(null, e);
    }
  }

  /**
   * Opens a file's filter, if it is one of Winnow's. Called by {@code createFromMeta}.
   *
   * @param meta the result of {@link #peeked}
   * @return null if the meta block is not ours
   * @throws FilterFormatException if the meta block is ours and damaged, or our code fails: HBase
   *     then serves the file without its filter
   * @throws IOException if reading fails
   */
  public static BloomFilter filterOf(
      DataInput meta, HFile.Reader reader, BloomFilterMetrics metrics) throws IOException {
    try {
      if (!(meta instanceof PeekedMeta) || ((PeekedMeta) meta).version != FilterMeta.META_VERSION) {
        return null;
      }
      meta.readInt();
      return WinnowFilterReader.open(meta, reader, metrics);
    } catch (IOException e) {
      if (!Interrupts.isOne(e)) {
        ServerMetric.OPEN_FAILURES.count();
      }
      throw e;
    } catch (Throwable e) {
      throw unusable(reader, e);
    }
  }

  /**
   * Returns an exception that makes HBase serve a file without its filter. HBase logs it without
   * the name of the file, so the message has the name.
   */
  private static FilterFormatException unusable(HFile.Reader reader, Throwable cause) {
    try {
      ServerMetric.OPEN_FAILURES.count();
      String file = reader == null ? "a file" : reader.getName();
      Object reason = cause instanceof FilterFormatException ? cause.getMessage() : cause;
      return new FilterFormatException(
          "Winnow filter of " + file + " is unusable: " + reason, cause);
    } catch (Throwable again) {
      return new FilterFormatException("a Winnow filter is unusable");
    }
  }
}

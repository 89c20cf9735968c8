package io.winnow.hbase.hooks;

import io.winnow.hbase.HBaseMember;
import io.winnow.hbase.metrics.Failures;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.read.CachePressure;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.Occasion;
import io.winnow.hbase.settings.StoreView;
import java.lang.invoke.MethodHandle;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.CreateStoreFileWriterParams;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileManager;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactionRequest;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hooks of flushes and compactions, which record the other files of the store: the new file's
 * filter gets its rate by them. They throw nothing. If one fails, the file is written as if its
 * store were not known.
 */
public final class StoreHooks {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHooks.class);

  private static final Failures FAILURES =
      new Failures(
          LOG::error,
          "Cannot inspect the store: the new file gets the error rate of a store's only file",
          ServerMetric.STORE_FAILURES,
          WinnowHooks.FAILURES);

  /**
   * Last compaction that this thread began, because {@code createWriter} has no argument with the
   * files of a compaction.
   */
  private static final ThreadLocal<WeakReference<CompactionRequestImpl>> COMPACTION =
      new ThreadLocal<>();

  private static final MethodHandle STORE_FILES =
      HBaseMember.STORE_FILES.getter(Collection.class, StoreFileManager.class);

  private static final MethodHandle GENERAL_FILTER =
      HBaseMember.GENERAL_FILTER.getter(BloomFilter.class, StoreFileReader.class);

  private StoreHooks() {}

  /** Records which files a compaction replaces. Called by {@code Compactor.compact}. */
  public static void compacts(CompactionRequestImpl request) {
    try {
      COMPACTION.set(new WeakReference<>(request));
    } catch (Throwable e) { // the compaction goes on in any case
      FAILURES.report(e);
    }
  }

  /**
   * Records the files that a store has when a new file of it is about to be written. Called by
   * {@code StoreEngine.createWriter}, which makes the writer of the new file.
   */
  public static void createsWriter(
      StoreEngine<?, ?, ?, ?> engine, CreateStoreFileWriterParams params) {
    StoreView view = null;
    try {
      CompactionRequestImpl request = params.isCompaction() ? request() : null;
      if (request != null || !params.isCompaction()) {
        Occasion occasion = occasion(request);
        view = StoreView.unknown(occasion);
        view = view(engine, params, request, occasion);
        if (CachePressure.OF_THIS_JVM.isCacheShort()) {
          view = view.whereCacheIsShort();
        }
      }
    } catch (Throwable e) { // the file has to be written in any case
      FAILURES.report(e);
    }
    try {
      StoreView.leave(view);
    } catch (Throwable e) { // the file is then written as if its store were not known
      FAILURES.report(e);
    }
  }

  private static CompactionRequestImpl request() {
    WeakReference<CompactionRequestImpl> last = COMPACTION.get();
    return last == null ? null : last.get();
  }

  private static Occasion occasion(CompactionRequestImpl request) {
    if (request == null) {
      return Occasion.FLUSH;
    }
    return request.isAllFiles() ? Occasion.OTHER : Occasion.MINOR_COMPACTION;
  }

  private static StoreView view(
      StoreEngine<?, ?, ?, ?> engine,
      CreateStoreFileWriterParams params,
      CompactionRequestImpl request,
      Occasion occasion)
      throws Throwable {
    Set<HStoreFile> goes = Collections.newSetFromMap(new IdentityHashMap<>());
    if (request != null) {
      goes.addAll(request.getFiles());
    }
    Collection<HStoreFile> files = files(engine.getStoreFileManager());
    double keysPerCell = keysPerCell(files);
    List<StoreView.OtherFile> others = new ArrayList<>();
    List<StoreView.OtherFile> rewritten = new ArrayList<>();
    double compacted = 0;
    for (HStoreFile file : files) {
      StoreView.OtherFile other = describe(file, keysPerCell);
      if (other == null) {
        continue;
      }
      if (goes.contains(file)) {
        compacted += other.keys;
        rewritten.add(other);
      } else {
        others.add(other);
      }
    }
    if (request == null) {
      return new StoreView(occasion, params.maxKeyCount() * keysPerCell, others);
    }
    if (!(request instanceof DateTieredCompactionRequest)) {
      return new StoreView(occasion, compacted, 0, others, rewritten);
    }
    // It may write a file for each window of time, and a Get queries them all.
    List<Long> boundaries = ((DateTieredCompactionRequest) request).getBoundaries();
    int windows = Math.max(1, boundaries.size());
    return new StoreView(occasion, compacted / windows, compacted, others, rewritten);
  }

  @SuppressWarnings("unchecked")
  private static Collection<HStoreFile> files(StoreFileManager manager) throws Throwable {
    return (Collection<HStoreFile>) (Collection<?>) STORE_FILES.invokeExact(manager);
  }

  /**
   * Returns the mean number of filter keys per cell in the store's files that have a filter; 1 if
   * there are none. A row may have many cells, and is one key.
   */
  private static double keysPerCell(Collection<HStoreFile> files) {
    double keys = 0;
    double cells = 0;
    for (HStoreFile file : files) {
      StoreFileReader reader = file.getReader();
      if (reader != null && reader.getTotalBloomSize() > 0) {
        keys += reader.getFilterEntries();
        cells += reader.getEntries();
      }
    }
    return keys > 0 && cells > keys ? keys / cells : 1;
  }

  /**
   * Returns the number of keys, the first and last row, and the filter bytes of a store's file;
   * null if the file is being closed.
   */
  private static StoreView.OtherFile describe(HStoreFile file, double keysPerCell)
      throws Throwable {
    StoreFileReader reader = file.getReader();
    if (reader == null) {
      return null;
    }
    BloomFilter filter = (BloomFilter) GENERAL_FILTER.invokeExact(reader);
    double filterBytes = reader.getTotalBloomSize();
    if (filter instanceof WinnowFilterReader) {
      filterBytes *= ((WinnowFilterReader) filter).shareOfRows();
    }
    double keys = filterBytes > 0 ? reader.getFilterEntries() : reader.getEntries() * keysPerCell;
    // The reader of a half file reports half of the keys, and all bytes of the filter.
    return new StoreView.OtherFile(
        keys,
        file.isReference() ? filterBytes / 2 : filterBytes,
        row(file.getFirstKey()),
        row(file.getLastKey()));
  }

  private static byte[] row(Optional<? extends Cell> key) {
    return key.map(CellUtil::cloneRow).orElse(null);
  }
}

package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.standalone.StandaloneHBase;
import io.winnow.hbase.storefile.StoreFileFilter;
import io.winnow.hbase.storefile.StoreFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** The tables of the quickstart, one per kind of filter, with the same rows in each. */
record QuickstartTables(
    StandaloneHBase hbase, Connection connection, RowKeys keys, PrintStream progress) {
  /** The kinds of filter that the quickstart compares, each in a table of its own. */
  static final List<FilterChoice> KINDS =
      List.of(FilterChoice.BLOOM, FilterChoice.RIBBON, FilterChoice.BUMPED_RIBBON);

  /**
   * Number of flushes of a table after its large store file; each flush has a hundredth of the
   * rows.
   */
  static final int FLUSHES = 8;

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("v");
  private static final int BATCH = 1_000;
  private static final int THREADS = 2;
  private static final long COMPACTION_SECONDS = 600;
  private static final long COMPACTION_RETRY_SECONDS = 20;

  static TableName table(FilterChoice kind) {
    return TableName.valueOf("quickstart_" + kind.label.replace('-', '_'));
  }

  /**
   * Makes the quickstart's tables and writes all rows into each. Each gets a large file, by a major
   * compaction, and flushed files beside it.
   */
  void fill() throws IOException, InterruptedException {
    create();
    int flushed = Math.max(1, keys.size() / 100);
    int large = Math.max(1, keys.size() - FLUSHES * flushed);
    try (Progress step =
        Progress.counting(progress, "Loading", "rows", (long) large * KINDS.size())) {
      load(0, large, step);
    }
    compact();
    try (Admin admin = connection.getAdmin();
        Progress step =
            Progress.counting(
                progress,
                "Loading more, with a flush for each hundredth",
                "rows",
                (long) (keys.size() - large) * KINDS.size())) {
      long start = System.nanoTime();
      for (int from = large; from < keys.size(); from += flushed) {
        load(from, Math.min(from + flushed, keys.size()), step);
        for (FilterChoice kind : KINDS) {
          flush(admin, kind, start);
        }
      }
    }
  }

  private void create() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (FilterChoice kind : KINDS) {
        ColumnFamilyDescriptorBuilder family =
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(BloomType.ROW);
        kind.settings().forEach(family::setConfiguration);
        if (kind != FilterChoice.BLOOM && keys.prefixBytes > 0) {
          family.setConfiguration(Setting.SCAN_PREFIX.key, Integer.toString(keys.prefixBytes));
        }
        admin.createTable(
            TableDescriptorBuilder.newBuilder(table(kind)).setColumnFamily(family.build()).build());
      }
    }
  }

  private void load(int begin, int end, Progress step) throws IOException, InterruptedException {
    try (Crew crew = new Crew(THREADS)) {
      crew.map(
          KINDS,
          kind -> {
            try (Table table = connection.getTable(table(kind))) {
              for (int from = begin; from < end; from += BATCH) {
                List<Put> batch = new ArrayList<>(BATCH);
                for (int i = from; i < Math.min(from + BATCH, end); i++) {
                  byte[] key = keys.arrival(i);
                  batch.add(new Put(key).addColumn(FAMILY, QUALIFIER, RowKeys.value(key)));
                }
                int size = batch.size();
                table.put(batch);
                step.add(size);
              }
              return kind;
            }
          });
    }
  }

  /** Flushes each table of the quickstart and compacts it into one store file. */
  private void compact() throws IOException, InterruptedException {
    try (Admin admin = connection.getAdmin();
        Progress step =
            Progress.counting(progress, "Flushing and major-compacting", "tables", KINDS.size())) {
      long start = System.nanoTime();
      for (FilterChoice kind : KINDS) {
        flush(admin, kind, start);
        admin.majorCompact(table(kind));
      }
      for (FilterChoice kind : KINDS) {
        long requested = System.nanoTime();
        while (admin.getCompactionState(table(kind)) != CompactionState.NONE
            || !isCompacted(admin, kind)) {
          TimeUnit.MILLISECONDS.sleep(250);
          requireInTime(kind, start);
          // A request may have met a minor compaction and be lost.
          if (System.nanoTime() - requested > TimeUnit.SECONDS.toNanos(COMPACTION_RETRY_SECONDS)
              && admin.getCompactionState(table(kind)) == CompactionState.NONE) {
            admin.majorCompact(table(kind));
            requested = System.nanoTime();
          }
        }
        step.add(1);
      }
    }
  }

  /**
   * Flushes a table until its memory stores are empty. It flushes region by region, because HBase's
   * procedure that flushes a table may wait forever if it meets a flush that began by itself.
   */
  private void flush(Admin admin, FilterChoice kind, long start)
      throws IOException, InterruptedException {
    while (true) {
      boolean empty = true;
      for (RegionMetrics region : StoreFiles.regions(admin, table(kind))) {
        if (region.getMemStoreSize().getLongValue() > 0) {
          empty = false;
          admin.flushRegion(region.getRegionName());
        }
      }
      if (empty) {
        return;
      }
      requireInTime(kind, start);
      TimeUnit.MILLISECONDS.sleep(250);
    }
  }

  private void requireInTime(FilterChoice kind, long start) throws IOException {
    if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(COMPACTION_SECONDS)) {
      throw new IOException(
          "%s was not flushed and compacted within %d s\n%s"
              .formatted(table(kind), COMPACTION_SECONDS, hbase.tail()));
    }
  }

  /** Returns whether a table has one store file, of a major compaction. */
  private boolean isCompacted(Admin admin, FilterChoice kind) throws IOException {
    return files(kind).size() == 1
        && StoreFiles.regions(admin, table(kind)).stream()
            .anyMatch(region -> region.getLastMajorCompactionTimestamp() > 0);
  }

  private List<Path> files(FilterChoice kind) throws IOException {
    return StoreFiles.of(hbase.configuration(), table(kind), FAMILY).stream()
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Reads rows of a table by multi-gets in several threads. Returns the number of rows that have
   * their expected value.
   *
   * @param key returns the key of each row, from 0 on
   */
  long gets(FilterChoice kind, int count, IntFunction<byte[]> key, Progress step)
      throws IOException, InterruptedException {
    try (Crew crew = new Crew(THREADS)) {
      List<Integer> parts = IntStream.range(0, THREADS).boxed().toList();
      return crew.map(parts, part -> gets(kind, count, part, key, step)).stream()
          .mapToLong(Long::longValue)
          .sum();
    }
  }

  private long gets(FilterChoice kind, int count, int part, IntFunction<byte[]> key, Progress step)
      throws IOException {
    int end = (int) ((long) count * (part + 1) / THREADS);
    long found = 0;
    try (Table table = connection.getTable(table(kind))) {
      for (int from = (int) ((long) count * part / THREADS); from < end; from += BATCH) {
        List<Get> batch = new ArrayList<>(BATCH);
        for (int i = from; i < Math.min(from + BATCH, end); i++) {
          batch.add(new Get(key.apply(i)).addColumn(FAMILY, QUALIFIER));
        }
        Result[] results = table.get(batch);
        for (int i = 0; i < results.length; i++) {
          byte[] value = results[i].getValue(FAMILY, QUALIFIER);
          byte[] expected = RowKeys.value(batch.get(i).getRow());
          found += Arrays.equals(value, expected) ? 1 : 0;
        }
        step.add(results.length);
      }
    }
    return found;
  }

  /** Opens the filters of a table's store files. */
  List<StoreFileFilter> filters(FilterChoice kind) throws IOException {
    List<StoreFileFilter> filters = new ArrayList<>();
    for (Path file : files(kind)) {
      filters.add(StoreFileFilter.open(hbase.configuration(), file));
    }
    return filters;
  }
}

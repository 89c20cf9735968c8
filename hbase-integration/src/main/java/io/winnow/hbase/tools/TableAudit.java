package io.winnow.hbase.tools;

import io.winnow.hbase.FamilyFilters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Which filters the files of a table have, from their trailers and meta blocks alone, and which its
 * families ask for.
 */
final class TableAudit {
  private static final int THREADS = 16;

  private final HBaseTable table;
  private final Map<String, FamilyFilters> asked = new LinkedHashMap<>();
  private final Map<String, Group> groups = new TreeMap<>();
  private final List<Left> notAsAsked = new ArrayList<>();
  private final List<Left> needingTheAgent = new ArrayList<>();
  private final List<String> unreadable = new ArrayList<>();
  private long files;

  /** A file that has the filter that is named. */
  record Left(String filter, Path path) {}

  /** Files of a family with the same filter, as it stands in the JSON document. */
  static final class Group {
    final String table;
    final String family;
    final String filter;
    final String asked;
    long files;
    long fileBytes;
    long filterBytes;
    long keys;
    long notAsAsked;

    private Group(String table, String family, String filter, String asked) {
      this.table = table;
      this.family = family;
      this.filter = filter;
      this.asked = asked;
    }
  }

  /** What was seen of one file. */
  private record Seen(
      String filter, long fileBytes, long filterBytes, long keys, boolean asAsked) {}

  private TableAudit(Configuration conf, HBaseTable table) {
    this.table = table;
    for (ColumnFamilyDescriptor family : table.descriptor().getColumnFamilies()) {
      asked.put(
          Bytes.toStringBinary(family.getName()),
          FamilyFilters.of(conf, table.descriptor(), family));
    }
  }

  static TableAudit of(Configuration conf, HBaseTable table, Counting counting)
      throws IOException, InterruptedException {
    TableAudit audit = new TableAudit(conf, table);
    audit.look(conf, counting);
    return audit;
  }

  private void look(Configuration conf, Counting counting)
      throws IOException, InterruptedException {
    List<StoreFile> all = table.files(conf);
    counting.expect(all.size());
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Seen>> looks = new ArrayList<>();
      for (StoreFile file : all) {
        looks.add(threads.submit(() -> look(conf, file, asked.get(file.family()))));
      }
      for (int i = 0; i < all.size(); i++) {
        try {
          add(all.get(i), looks.get(i).get());
        } catch (ExecutionException e) {
          unreadable.add(String.valueOf(e.getCause().getMessage()));
        }
        counting.add(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static Seen look(Configuration conf, StoreFile file, FamilyFilters asked)
      throws IOException {
    try (OpenFile open = OpenFile.open(conf, file.data())) {
      return new Seen(
          open.filter(),
          open.reader().length(),
          open.filterBytes(),
          open.general() == null ? 0 : open.general().keys(),
          asked == null || isAsAsked(open, asked));
    }
  }

  private static boolean isAsAsked(OpenFile file, FamilyFilters asked) throws IOException {
    if (file.cells() == 0) {
      return true; // no keys, no filter
    }
    if (file.filter().equals(FamilyFilters.NONE) && asked.mayHaveNone()) {
      return true;
    }
    return file.filter().equals(wanted(file, asked));
  }

  private static String wanted(OpenFile file, FamilyFilters asked) throws IOException {
    if (file.isOfMajorCompaction() || file.isBulkLoaded()) {
      return asked.otherwise();
    }
    return file.isOfCompaction() ? asked.minorCompaction() : asked.flush();
  }

  private void add(StoreFile file, Seen seen) {
    files++;
    if (!seen.asAsked()) {
      notAsAsked.add(new Left(seen.filter(), file.path()));
    }
    if (FamilyFilters.isWinnow(seen.filter())) {
      needingTheAgent.add(new Left(seen.filter(), file.path()));
    }
    FamilyFilters filters = asked.get(file.family());
    Group group =
        groups.computeIfAbsent(
            file.family() + " " + seen.filter(),
            key ->
                new Group(
                    table.name(),
                    file.family(),
                    seen.filter(),
                    filters == null ? "unknown" : filters.inWords()));
    group.files++;
    group.fileBytes += seen.fileBytes();
    group.filterBytes += seen.filterBytes();
    group.keys += seen.keys();
    group.notAsAsked += seen.asAsked() ? 0 : 1;
  }

  HBaseTable table() {
    return table;
  }

  long files() {
    return files;
  }

  /** What each family asks for, by its name. */
  Map<String, FamilyFilters> asked() {
    return asked;
  }

  List<Group> groups() {
    return List.copyOf(groups.values());
  }

  /** Files that have another filter than their family asks for. */
  List<Left> notAsAsked() {
    return notAsAsked;
  }

  /** Files with a filter of Winnow's, which a server without the agent does not use. */
  List<Left> needingTheAgent() {
    return needingTheAgent;
  }

  /** In words. */
  List<String> unreadable() {
    return unreadable;
  }
}

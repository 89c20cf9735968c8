package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.settings.FamilyFilters;
import io.winnow.hbase.settings.ForeignReaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The store files of one column family, found by the name of its table or by a path. With a path,
 * the family is known only if the files lie in the directory of a table.
 */
final class FamilyFiles {
  /** Name of the family's table; empty if it is unknown. */
  final String table;

  final String name;
  final FamilySettings settings;

  /**
   * Sentence on why row prefixes and key segments may gain nothing in the family; null if nothing
   * is known against them.
   */
  final String foreignReaders;

  private final Map<String, List<FileSummary>> stores = new TreeMap<>();

  /** Facts about a store file that are known before its cells are read. */
  static final class FileSummary {
    final StoreFile file;
    final BloomType type;
    final int prefix;
    final double keys;
    final double allCells;
    final double bytes;
    private final Set<String> replaced;

    FileSummary(StoreFile file, OpenFile open) throws IOException {
      this.file = file;
      this.type = open.type();
      this.prefix = open.prefix();
      this.keys = open.keys();
      this.allCells = open.allCells();
      this.bytes = open.bytes();
      this.replaced = open.replaced();
    }
  }

  private FamilyFiles(String table, String name, FamilySettings settings, String foreignReaders) {
    this.table = table;
    this.name = name;
    this.settings = settings;
    this.foreignReaders = foreignReaders;
  }

  /**
   * Returns the name of the family to print, preceded by the name of its table if that is known.
   */
  String label() {
    return table.isEmpty() ? name : table + ", " + name;
  }

  /** Returns the files of each store of the column family. */
  List<List<FileSummary>> stores() {
    return List.copyOf(stores.values());
  }

  /** Returns the number of files in all stores. */
  long files() {
    return stores.values().stream().mapToLong(List::size).sum();
  }

  /** Returns the number of keys in all stores, as far as it is known before the cells are read. */
  double keys() {
    return stores.values().stream().mapToDouble(FamilyFiles::keys).sum();
  }

  /**
   * Returns the number of keys in the files of a store, as far as it is known before their cells
   * are read.
   */
  static double keys(List<FileSummary> store) {
    return store.stream().mapToDouble(summary -> summary.keys).sum();
  }

  /**
   * Finds the store files of the named tables and paths, and groups them by family.
   *
   * @param operands each the name of a table if there is such a table, or else a path
   * @param notes receives a sentence for each file that cannot be read, and for each family that is
   *     left out
   */
  static List<FamilyFiles> of(
      Configuration conf, Iterable<String> operands, Crew crew, Progress counting, Notes notes)
      throws IOException, InterruptedException {
    List<FamilyFiles> all = new ArrayList<>();
    for (String operand : operands) {
      if (isTable(conf, operand)) {
        HBaseTable table = HBaseTable.named(conf, operand);
        List<StoreFile> files = table.files(conf, crew, counting);
        all.addAll(ofTable(conf, table, summarize(conf, files, crew, counting, notes), notes));
      } else {
        List<StoreFile> files = StoreFile.under(conf, new Path(operand));
        all.addAll(ofPath(conf, summarize(conf, files, crew, counting, notes), notes));
      }
    }
    return all;
  }

  private static boolean isTable(Configuration conf, String operand) throws IOException {
    if (operand.contains("/")) {
      return false;
    }
    Path path = new Path("./" + operand);
    return HBaseTable.exists(conf, operand) || !path.getFileSystem(conf).exists(path);
  }

  private static List<FileSummary> summarize(
      Configuration conf, List<StoreFile> files, Crew crew, Progress counting, Notes notes)
      throws IOException, InterruptedException {
    counting.expect(files.size());
    List<FileSummary> summaries =
        crew.map(
            files,
            file -> {
              counting.add(1);
              try (OpenFile open = OpenFile.open(conf, file)) {
                return new FileSummary(file, open);
              } catch (IOException e) {
                notes.recordFailure(e.getMessage());
                return null;
              }
            });
    Set<Path> replaced = new HashSet<>();
    for (FileSummary summary : summaries) {
      if (summary != null) {
        summary.replaced.forEach(name -> replaced.add(summary.file.beside(name)));
      }
    }
    long waiting =
        summaries.stream()
            .filter(summary -> summary != null && replaced.contains(summary.file.path))
            .count();
    if (waiting > 0) {
      notes.record(
          Table.counted(waiting, "file")
              + " left out: a compaction replaced "
              + (waiting == 1 ? "it" : "them")
              + ", and HBase removes "
              + (waiting == 1 ? "it" : "them")
              + " soon");
    }
    return summaries.stream()
        .filter(summary -> summary != null && summary.allCells > 0)
        .filter(summary -> !replaced.contains(summary.file.path))
        .collect(Collectors.toList());
  }

  private static List<FamilyFiles> ofTable(
      Configuration conf, HBaseTable table, List<FileSummary> files, Notes notes) {
    Map<String, FamilyFiles> families = new LinkedHashMap<>();
    for (ColumnFamilyDescriptor family : table.descriptor.getColumnFamilies()) {
      String name = Bytes.toStringBinary(family.getName());
      if (family.getBloomFilterType() == BloomType.NONE) {
        notes.record(
            String.format("%s, %s is left out: %s", table.name(), name, FamilyFilters.NO_FILTER));
      } else {
        families.put(
            name,
            new FamilyFiles(
                table.name(),
                name,
                FamilySettings.of(conf, table.descriptor, family),
                ForeignReaders.reason(conf, table.descriptor, family)));
      }
    }
    for (FileSummary file : files) {
      FamilyFiles family = families.get(file.file.family);
      if (family != null) {
        family.add(file.file.store(), file);
      }
    }
    families
        .values()
        .forEach(
            family -> {
              if (family.stores.isEmpty()) {
                notes.record(
                    String.format(
                        "%s has no store file with rows, so there is nothing to count: flush '%s'",
                        family.label(), table.name()));
              }
            });
    return families.values().stream()
        .filter(family -> !family.stores.isEmpty())
        .collect(Collectors.toList());
  }

  private static List<FamilyFiles> ofPath(
      Configuration conf, List<FileSummary> files, Notes notes) {
    Map<Path, HBaseTable> tables = new HashMap<>();
    Map<String, List<FileSummary>> byTable = new TreeMap<>();
    Map<String, FamilyFiles> alone = new TreeMap<>();
    List<FamilyFiles> families = new ArrayList<>();
    for (FileSummary file : files) {
      Path directory = file.file.tableDirectory();
      if (!tables.containsKey(directory)) {
        tables.put(directory, HBaseTable.around(conf, file.file));
      }
      HBaseTable table = tables.get(directory);
      if (table != null && table.hasFamily(file.file.family)) {
        byTable.computeIfAbsent(directory.toString(), key -> new ArrayList<>()).add(file);
      } else {
        BloomType type = file.type == BloomType.NONE ? BloomType.ROW : file.type;
        alone
            .computeIfAbsent(
                file.file.family + " " + type + " " + file.prefix,
                key ->
                    new FamilyFiles(
                        "", file.file.family, FamilySettings.of(conf, type, file.prefix), null))
            .add(file.file.path.getParent().toString(), file);
      }
    }
    byTable.forEach(
        (directory, ofTable) ->
            families.addAll(ofTable(conf, tables.get(new Path(directory)), ofTable, notes)));
    families.addAll(alone.values());
    return families;
  }

  private void add(String store, FileSummary file) {
    stores.computeIfAbsent(store, key -> new ArrayList<>()).add(file);
  }
}

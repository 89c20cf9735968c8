package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.settings.FamilyFilters;
import io.winnow.hbase.settings.LocalIndexes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Filters that the files of a table have, and filters that the settings of its families select. It
 * reads trailers and meta blocks only.
 */
final class TableAudit {
  final HBaseTable table;

  /** Filters that the settings of each family select, by the family's name. */
  final Map<String, FamilyFilters> familyFilters = new LinkedHashMap<>();

  private final Map<String, BloomType> keyTypes = new LinkedHashMap<>();

  /** Instructions for the HBase shell that alter each family, by the family's name. */
  final Map<String, Alter> alters = new LinkedHashMap<>();

  /**
   * Place of the setting that selects the family's filter, such as its CONFIGURATION, by the
   * family's name; null if no setting does.
   */
  final Map<String, String> places = new LinkedHashMap<>();

  /** Sentences on settings in the METADATA of families, which CONFIGURATION cannot change. */
  final List<String> inMetadata = new ArrayList<>();

  private final Map<String, Group> groups = new TreeMap<>();

  /** Store files that have another filter than the settings of their family select. */
  final List<Left> notAsAsked = new ArrayList<>();

  /** Store files with a Winnow filter, which a server without the agent does not use. */
  final List<Left> needingTheAgent = new ArrayList<>();

  /** Sentences on store files that cannot be read. */
  final List<String> unreadable = new ArrayList<>();

  /**
   * The number of store files that a compaction replaced and HBase has not removed yet. Nothing
   * else counts them.
   */
  long replaced;

  /**
   * Store file that a compaction or {@code convert} must still rewrite, as it stands in the JSON
   * document of {@code audit}.
   */
  static final class Left {
    final String table;
    final String family;
    final String filter;
    final String asked;
    final String file;

    Left(String table, String family, String filter, String asked, String file) {
      this.table = table;
      this.family = family;
      this.filter = filter;
      this.asked = asked;
      this.file = file;
    }
  }

  /**
   * Store files of a family that have the same filter, counted together, as they stand in the JSON
   * document of {@code audit}.
   */
  static final class Group {
    final String table;
    final String family;
    final String filter;
    final String asked;

    /**
     * Place of the setting that selects the family's filter, such as its CONFIGURATION; null if no
     * setting does.
     */
    final String setIn;

    long files;
    long fileBytes;
    long filterBytes;
    long keys;
    long notAsAsked;
    long filterlessWithoutAgent;

    /** Number of files with a Winnow filter by the reason for its false-positive rate. */
    final Map<String, Long> whyTheirRates = new TreeMap<>();

    private Group(String table, String family, String filter, String asked, String setIn) {
      this.table = table;
      this.family = family;
      this.filter = filter;
      this.asked = asked;
      this.setIn = setIn;
    }
  }

  /** Facts about one store file, from its trailer and meta blocks. */
  private static final class Inspected {
    String filter;
    BloomType type;
    String prefixRule;
    String segmentRule;
    String whyThisRate;
    double fileBytes;
    double filterBytes;
    double keys;
    boolean asAsked;
    Set<String> replaced = Set.of();
    String problem;
  }

  private TableAudit(Configuration conf, HBaseTable table) {
    this.table = table;
    for (ColumnFamilyDescriptor family : table.descriptor.getColumnFamilies()) {
      String name = Bytes.toStringBinary(family.getName());
      familyFilters.put(name, FamilyFilters.of(conf, table.descriptor, family));
      keyTypes.put(name, family.getBloomFilterType());
      Alter alter = Alter.of(conf, table.descriptor, family);
      alters.put(name, alter);
      places.put(name, FamilyFilters.place(conf, table.descriptor, family));
      FamilyFilters.ofMetadata(conf, table.descriptor, family)
          .forEach(
              (key, sentence) ->
                  inMetadata.add(
                      String.format(
                          "%s, %s: %s; to remove it: %s",
                          table.name(), name, sentence, alter.removal(key))));
    }
  }

  /**
   * Reads the trailers and meta blocks of all files of a table.
   *
   * @param counting receives the number of files
   */
  static TableAudit of(Configuration conf, HBaseTable table, Crew crew, Progress counting)
      throws IOException, InterruptedException {
    TableAudit audit = new TableAudit(conf, table);
    List<StoreFile> files = table.files(conf, crew, counting);
    counting.expect(files.size());
    List<Inspected> seen = crew.map(files, file -> audit.inspect(conf, file, counting));
    Set<Path> replaced = new HashSet<>();
    for (int i = 0; i < files.size(); i++) {
      for (String name : seen.get(i).replaced) {
        replaced.add(files.get(i).beside(name));
      }
    }
    for (int i = 0; i < files.size(); i++) {
      if (replaced.contains(files.get(i).path)) {
        audit.replaced++;
      } else {
        audit.add(files.get(i), seen.get(i));
      }
    }
    return audit;
  }

  private Inspected inspect(Configuration conf, StoreFile file, Progress counting) {
    counting.add(1);
    Inspected seen = new Inspected();
    try (OpenFile open = OpenFile.open(conf, file)) {
      seen.filter = open.filter();
      seen.type = open.type();
      seen.prefixRule = open.general == null ? null : open.general.prefixRule();
      seen.segmentRule = open.segmentRule();
      seen.whyThisRate = open.general == null ? "" : open.general.whyThisRate;
      seen.fileBytes = open.bytes();
      seen.filterBytes = open.filterBytes();
      seen.keys = open.general == null ? 0 : open.keys();
      seen.asAsked = isAsAsked(open, file.family);
      seen.replaced = open.replaced();
    } catch (IOException | RuntimeException e) {
      seen.problem = String.valueOf(e.getMessage());
    }
    return seen;
  }

  private boolean isAsAsked(OpenFile file, String family) throws IOException {
    FamilyFilters filters = familyFilters.get(family);
    if (filters == null || file.allCells() == 0) {
      return true; // the table lacks the family, or there are no keys
    }
    if (!Objects.equals(file.segmentRule(), filters.segmentRule)) {
      return false;
    }
    if (file.filter().equals(FamilyFilters.NONE)) {
      return wanted(file, filters).equals(FamilyFilters.NONE);
    }
    return file.filter().equals(wanted(file, filters))
        && file.type() == keyTypes.get(family)
        && Objects.equals(file.general.prefixRule(), prefixRule(file.filter(), filters, family));
  }

  /**
   * Returns the rule for the row prefixes that a file's filter must have; null if it must have
   * none, as HBase's own filters and those of local indexes.
   */
  private static String prefixRule(String filter, FamilyFilters filters, String family) {
    return FamilyFilters.isWinnow(filter) && !LocalIndexes.areIn(Bytes.toBytes(family))
        ? filters.prefixRule
        : null;
  }

  private static String withPrefixes(String filter, String rule) {
    return filter + (rule == null ? " without prefixes" : " with prefixes " + rule);
  }

  private static String withSegments(String filter, String rule) {
    return filter + (rule == null ? " without key segments" : " with key segments " + rule);
  }

  private static String wanted(OpenFile file, FamilyFilters filters) throws IOException {
    if (file.isOfMajorCompaction() || file.isBulkLoaded()) {
      return filters.otherwise;
    }
    return file.isOfCompaction() ? filters.minorCompaction : filters.flush;
  }

  private void add(StoreFile file, Inspected seen) {
    if (seen.problem != null) {
      unreadable.add(seen.problem);
      return;
    }
    FamilyFilters filters = familyFilters.get(file.family);
    String wanted = filters == null ? "unknown" : filters.inWords();
    // The kind of key, the prefixes and the segments are reported only if they differ from those
    // that the family asks for.
    BloomType type = keyTypes.get(file.family);
    boolean hasOtherKeys =
        !seen.filter.equals(FamilyFilters.NONE) && type != null && seen.type != type;
    String filter = hasOtherKeys ? seen.filter + " of " + seen.type : seen.filter;
    if (hasOtherKeys) {
      wanted += " of " + type;
    } else if (filters != null) {
      String rule = prefixRule(seen.filter, filters, file.family);
      if (!Objects.equals(seen.prefixRule, rule)) {
        filter = withPrefixes(filter, seen.prefixRule);
        wanted = withPrefixes(wanted, rule);
      }
    }
    if (filters != null
        && !seen.asAsked
        && !Objects.equals(seen.segmentRule, filters.segmentRule)) {
      filter = withSegments(filter, seen.segmentRule);
      wanted = withSegments(wanted, filters.segmentRule);
    }
    Left left = new Left(table.name(), file.family, filter, wanted, file.path.toString());
    boolean needsTheAgent = FamilyFilters.isWinnow(seen.filter);
    if (!seen.asAsked) {
      notAsAsked.add(left);
    }
    if (needsTheAgent) {
      needingTheAgent.add(left);
    }
    String inWords = wanted;
    String label = filter;
    Group group =
        groups.computeIfAbsent(
            file.family + " " + label,
            key -> new Group(table.name(), file.family, label, inWords, places.get(file.family)));
    group.files++;
    group.fileBytes += Math.round(seen.fileBytes);
    group.filterBytes += Math.round(seen.filterBytes);
    group.keys += Math.round(seen.keys);
    group.notAsAsked += seen.asAsked ? 0 : 1;
    group.filterlessWithoutAgent += needsTheAgent ? 1 : 0;
    if (needsTheAgent) {
      group.whyTheirRates.merge(reason(seen.whyThisRate), 1L, Long::sum);
    }
  }

  /** Returns the reason for a filter's rate without the file's share of its store. */
  private static String reason(String whyThisRate) {
    return whyThisRate.isEmpty() ? "unknown" : whyThisRate.split("; ", 2)[0];
  }

  List<Group> groups() {
    return List.copyOf(groups.values());
  }
}

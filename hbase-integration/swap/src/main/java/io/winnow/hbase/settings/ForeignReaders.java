package io.winnow.hbase.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Search for column families in which the row prefixes and key segments of a table gain nothing.
 * Most are families whose files a coprocessor may open with a file reader of its own: such a reader
 * may show other rows than the file has, so Winnow answers no scan through it. The others are
 * indexes of views of Apache Phoenix, which take the settings of a table whose keys are others.
 */
public final class ForeignReaders {
  /** Start of the names of the tables in which Apache Phoenix keeps the indexes of views. */
  private static final String VIEW_INDEXES = "_IDX_";

  /** Coprocessor of Apache Phoenix that opens only the files of local indexes. */
  private static final String OF_LOCAL_INDEXES =
      "org.apache.hadoop.hbase.regionserver.IndexHalfStoreFileReaderGenerator";

  private static final Set<String> METHODS =
      Set.of("preStoreFileReaderOpen", "postStoreFileReaderOpen");

  /** Settings of one column family that gain nothing there. */
  public static final class Useless {
    /** Name of the family, as HBase prints it. */
    public final String family;

    /** Keys of the settings. */
    public final List<String> keys = new ArrayList<>();

    /** Sentence on the settings, without a full stop. */
    public final String sentence;

    private Useless(
        TableDescriptor table,
        ColumnFamilyDescriptor family,
        Map<Setting, String> rules,
        String reason) {
      this.family = Bytes.toStringBinary(family.getName());
      List<String> values = new ArrayList<>();
      rules.forEach(
          (setting, rule) -> {
            keys.add(setting.key);
            values.add(setting.key + " = " + rule);
          });
      this.sentence =
          String.format(
              "Table '%s', column family '%s': %s may gain nothing: %s",
              table.getTableName(), this.family, String.join(" and ", values), reason);
    }

    /** Returns the sentence, with words on what to do. */
    public String inWords() {
      return sentence + ". Set " + String.join(" and ", keys) + " to none in this family";
    }
  }

  private ForeignReaders() {}

  /**
   * Returns the column families of a table that have row prefixes or key segments which gain
   * nothing.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static List<Useless> withPrefixes(Configuration site, TableDescriptor table) {
    List<Useless> found = new ArrayList<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      FamilyFilters filters = FamilyFilters.of(site, table, family);
      Map<Setting, String> rules = new EnumMap<>(Setting.class);
      if (filters.prefixRule != null && filters.asksForWinnow()) {
        rules.put(Setting.SCAN_PREFIX, filters.prefixRule);
      }
      if (filters.segmentRule != null) {
        rules.put(Setting.SCAN_SEGMENT, filters.segmentRule);
      }
      if (hasViewIndexes(table)) { // a value of the family itself was made for the index
        rules.keySet().removeIf(key -> FamilyConfiguration.ofFamily(family).containsKey(key.key));
      }
      String reason = rules.isEmpty() ? null : reason(site, table, family);
      if (reason != null) {
        found.add(new Useless(table, family, rules, reason));
      }
    }
    return found;
  }

  private static boolean hasViewIndexes(TableDescriptor table) {
    return table.getTableName().getQualifierAsString().startsWith(VIEW_INDEXES);
  }

  /**
   * Returns in words why row prefixes and key segments may gain nothing in a column family; null if
   * nothing is known against them.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static String reason(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    if (LocalIndexes.areIn(family.getName())) {
      return "it has a local index of Apache Phoenix, which reads files with a reader of its own"
          + " after a split, and scans skip none of these";
    }
    if (hasViewIndexes(table)) {
      return "it has indexes of views of Apache Phoenix, whose keys begin with the number of the"
          + " index, so settings of the views' table do not suit them";
    }
    for (String coprocessor : coprocessors(site, table)) {
      if (!coprocessor.equals(OF_LOCAL_INDEXES) && opensFiles(coprocessor)) {
        return "the coprocessor "
            + coprocessor
            + " may open files with a reader of its own, and scans skip none of these";
      }
    }
    return null;
  }

  private static Set<String> coprocessors(Configuration site, TableDescriptor table) {
    Set<String> names = new LinkedHashSet<>();
    for (CoprocessorDescriptor coprocessor : table.getCoprocessorDescriptors()) {
      names.add(coprocessor.getClassName());
    }
    for (String key :
        new String[] {
          CoprocessorHost.REGION_COPROCESSOR_CONF_KEY,
          CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY
        }) {
      for (String name : site.getTrimmedStrings(key)) {
        names.add(name.split("\\|")[0].trim()); // the priority comes after it
      }
    }
    return names;
  }

  /**
   * Returns true if a coprocessor has methods that open store files. One that cannot be loaded here
   * counts as one that does not.
   */
  private static boolean opensFiles(String name) {
    try {
      Class<?> type = Class.forName(name, false, ForeignReaders.class.getClassLoader());
      return Arrays.stream(type.getMethods())
          .anyMatch(
              method ->
                  METHODS.contains(method.getName()) && !method.getDeclaringClass().isInterface());
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}

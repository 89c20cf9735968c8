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
 * Search for column families whose files a coprocessor may open with a file reader of its own. Such
 * a reader may show other rows than the file has. So Winnow answers no scan through it, and
 * prefixes and segments of rows gain nothing there.
 */
public final class ForeignReaders {
  private static final Set<String> METHODS =
      Set.of("preStoreFileReaderOpen", "postStoreFileReaderOpen");

  private ForeignReaders() {}

  /**
   * Returns a sentence for each column family of a table that has row prefixes or key segments, and
   * whose files a coprocessor may open with a reader of its own.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static List<String> withPrefixes(Configuration site, TableDescriptor table) {
    List<String> sentences = new ArrayList<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      FamilyFilters filters = FamilyFilters.of(site, table, family);
      Map<Setting, String> rules = new EnumMap<>(Setting.class);
      if (filters.prefixRule != null && filters.asksForWinnow()) {
        rules.put(Setting.SCAN_PREFIX, filters.prefixRule);
      }
      if (filters.segmentRule != null) {
        rules.put(Setting.SCAN_SEGMENT, filters.segmentRule);
      }
      String reason = rules.isEmpty() ? null : reason(site, table, family);
      if (reason != null) {
        rules.forEach(
            (setting, rule) ->
                sentences.add(
                    String.format(
                        "Table '%s', column family '%s': %s = %s may gain nothing: %s",
                        table.getTableName(),
                        Bytes.toStringBinary(family.getName()),
                        setting.key,
                        rule,
                        reason)));
      }
    }
    return sentences;
  }

  /**
   * Returns in words why a coprocessor may open the files of a column family with a reader of its
   * own; null if none does.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static String reason(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    if (LocalIndexes.areIn(family.getName())) {
      return "it has a local index of Apache Phoenix, which reads files with a reader of its own"
          + " after a split, and scans skip none of these";
    }
    for (String coprocessor : coprocessors(site, table)) {
      if (opensFiles(coprocessor)) {
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

package io.winnow.hbase.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Finds column families whose files a coprocessor may open with a reader of its own. Such a reader
 * may show other rows than the file has, so Winnow answers no scan for it, and prefixes of rows
 * gain nothing there.
 */
public final class ForeignReaders {
  /** The first letters of the names of families that have local indexes of Apache Phoenix. */
  private static final String LOCAL_INDEX = "L#";

  private static final Set<String> METHODS =
      Set.of("preStoreFileReaderOpen", "postStoreFileReaderOpen");

  private ForeignReaders() {}

  /**
   * Returns a sentence for each family that has prefixes and such files.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static List<String> withPrefixes(Configuration site, TableDescriptor table) {
    List<String> sentences = new ArrayList<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      FamilyFilters asked = FamilyFilters.of(site, table, family);
      if (asked.prefixRule() != null && asked.asksForWinnow()) {
        String reason = reason(site, table, family);
        if (reason != null) {
          sentences.add(
              String.format(
                  "Table '%s', column family '%s': %s = %s may gain nothing: %s",
                  table.getTableName(),
                  Bytes.toStringBinary(family.getName()),
                  Setting.SCAN_PREFIX.key(),
                  asked.prefixRule(),
                  reason));
        }
      }
    }
    return sentences;
  }

  /**
   * Returns why a family may have such files, in words; null if nothing says so.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static String reason(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    if (family.getNameAsString().startsWith(LOCAL_INDEX)) {
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

  /** Whether a class opens files; one that cannot be loaded here is taken for one that does not. */
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

package io.winnow.hbase.settings;

import io.winnow.hbase.AgentState;
import io.winnow.hbase.format.KeyKind;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.TableDescriptorChecker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a table's settings where they are made: on the master, when somebody creates the table,
 * alters it, or restores a snapshot of it. What a store could not follow is refused with a sentence
 * that names it.
 *
 * <p>Recovery is never refused. A key that this version does not know, and that is no slip of the
 * pen either, is another version's: it is logged, and passes. A snapshot is restored and cloned
 * with whatever it has, because nobody can alter its settings: the sentence is logged.
 *
 * <p>Looked at are the keys of ours in the table's own values and in those of its families, and for
 * a family with one that asks for a filter of ours, what the store will make of site, table and
 * family together. A fault of the site alone is logged, because the table's author cannot mend it.
 * A table without a key of ours always passes.
 */
public final class SettingsCheck {
  private static final Logger LOG = LoggerFactory.getLogger(SettingsCheck.class);

  /** Restores and clones. */
  private static final String OF_SNAPSHOTS =
      "org.apache.hadoop.hbase.master.snapshot.SnapshotManager";

  private SettingsCheck() {}

  /**
   * Asked by {@code TableDescriptorChecker.sanityCheck}. Where HBase's own checks are switched off,
   * by {@code hbase.table.sanity.checks}, there is a line in the log instead.
   *
   * @throws DoNotRetryIOException if a setting of the table's means nothing; nothing else is thrown
   */
  public static void check(Configuration site, TableDescriptor table) throws DoNotRetryIOException {
    String sentence;
    try {
      ForeignReaders.withPrefixes(site, table).forEach(LOG::warn);
      String problem = problemWith(site, table);
      if (problem == null) {
        return;
      }
      if (isOfSnapshot()) {
        LOG.warn("{} (a snapshot is restored or cloned with it all the same)", problem);
        return;
      }
      sentence =
          String.format(
              "%s (checked by Winnow %s; %s = false lets it pass)",
              problem, AgentState.version(), TableDescriptorChecker.TABLE_SANITY_CHECKS);
      if (!isRefused(site, table)) {
        LOG.warn(sentence);
        return;
      }
    } catch (Throwable e) { // whatever it is, it is no reason to refuse a table
      LOG.error("Cannot check the filter settings of {}: it passes", table, e);
      return;
    }
    throw new DoNotRetryIOException(sentence);
  }

  /** Nothing but the caller tells whose settings these are. */
  private static boolean isOfSnapshot() {
    return StackWalker.getInstance()
        .walk(callers -> callers.anyMatch(caller -> caller.getClassName().equals(OF_SNAPSHOTS)));
  }

  private static boolean isRefused(Configuration site, TableDescriptor table) {
    return FamilyConfiguration.over(site, FamilyConfiguration.ofTable(table))
        .getBoolean(
            TableDescriptorChecker.TABLE_SANITY_CHECKS,
            TableDescriptorChecker.DEFAULT_TABLE_SANITY_CHECKS);
  }

  private static String problemWith(Configuration site, TableDescriptor table) {
    Map<String, String> ofTable = FamilyConfiguration.ofTable(table);
    String name = "Table '" + table.getTableName() + "'";
    String problem = problemWith(ofTable, name);
    if (problem != null) {
      return name + ": " + problem;
    }
    Configuration below = below(site, table);
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      Map<String, String> ofFamily = FamilyConfiguration.ofFamily(family);
      String nameOfFamily = name + ", column family '" + family.getNameAsString() + "'";
      problem = problemWith(ofFamily, nameOfFamily);
      if (problem == null && (hasOurs(ofTable) || hasOurs(ofFamily))) {
        problem = problemTogether(below, ofTable, ofFamily, family);
      }
      if (problem != null) {
        return nameOfFamily + ": " + problem;
      }
    }
    return null;
  }

  /**
   * Where {@link SystemTables} is off, or cannot be linked, no store has anything between site and
   * table.
   */
  private static Configuration below(Configuration site, TableDescriptor table) {
    try {
      return AgentState.isSwitchedOff("system-tables") ? site : SystemTables.below(site, table);
    } catch (LinkageError e) {
      return site;
    }
  }

  private static boolean isOurs(String key) {
    return key.trim().toLowerCase(Locale.ROOT).startsWith(Setting.PREFIX);
  }

  private static boolean hasOurs(Map<String, String> values) {
    return values.keySet().stream().anyMatch(SettingsCheck::isOurs);
  }

  /** What is wrong with our keys on one level, each by itself; null if nothing is. */
  private static String problemWith(Map<String, String> values, String where) {
    Configuration conf = new CompoundConfiguration().addStringMap(values);
    for (Map.Entry<String, String> entry : new TreeMap<>(values).entrySet()) {
      String key = entry.getKey();
      if (!isOurs(key)) {
        continue;
      }
      Setting setting = Setting.ofKey(key);
      if (setting == null) {
        String meant = nearest(key.trim().toLowerCase(Locale.ROOT));
        String unknown =
            String.format("%s = '%s' is no setting of Winnow's", key, entry.getValue());
        if (meant != null) {
          return unknown + ", did you mean " + meant + "?";
        }
        LOG.warn("{}: {} in version {}: it does nothing", where, unknown, AgentState.version());
        continue;
      }
      if (setting.isOfServer()) {
        return String.format(
            "%s = '%s' is a whole server's and stands in hbase-site.xml only",
            key, entry.getValue());
      }
      try {
        setting.check(conf);
      } catch (WrongSettingException e) {
        return wrong(e, "");
      }
    }
    return null;
  }

  private static String wrong(WrongSettingException e, String from) {
    return String.format("%s is '%s'%s, must be %s", e.key(), e.value(), from, e.allowed());
  }

  /** What the store would meet; null if it could follow. */
  private static String problemTogether(
      Configuration below,
      Map<String, String> ofTable,
      Map<String, String> ofFamily,
      ColumnFamilyDescriptor family) {
    KeyKind general = KeyKind.of(family.getBloomFilterType());
    KeyKind kind = general == null ? KeyKind.DELETE_FAMILY : general;
    WrongSettingException e = wrongIn(FamilyConfiguration.over(below, ofTable, ofFamily), kind);
    if (e == null) {
      return null;
    }
    if (ofTable.containsKey(e.key()) || ofFamily.containsKey(e.key())) {
      return wrong(e, "");
    }
    WrongSettingException ofSite = wrongIn(below, kind);
    if (ofSite != null && ofSite.key().equals(e.key())) {
      LOG.warn(wrong(e, " in hbase-site.xml"));
      return null;
    }
    return wrong(e, " in hbase-site.xml");
  }

  private static WrongSettingException wrongIn(Configuration conf, KeyKind kind) {
    try {
      for (Occasion occasion : Occasion.values()) {
        WinnowSettings.Asked asked = WinnowSettings.Asked.in(conf, occasion);
        if (asked != null) {
          WinnowSettings.of(conf, kind, asked);
        }
      }
      return null;
    } catch (WrongSettingException e) {
      return e;
    }
  }

  /** The key of ours with the fewest letters changed, if these are few. */
  private static String nearest(String word) {
    String nearest = null;
    int fewest = 4;
    for (Setting setting : Setting.values()) {
      int changes = changes(word, setting.key());
      if (changes < fewest) {
        fewest = changes;
        nearest = setting.key();
      }
    }
    return nearest;
  }

  /** Levenshtein's distance: letters put in, left out and replaced. */
  private static int changes(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j - 1], row[j]));
      }
    }
    return row[to.length()];
  }
}

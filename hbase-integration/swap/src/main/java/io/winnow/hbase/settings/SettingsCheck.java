package io.winnow.hbase.settings;

import io.winnow.hbase.AgentState;
import io.winnow.hbase.format.KeyKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.util.TableDescriptorChecker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Check of a table's Winnow settings on the master, when somebody creates the table, alters it, or
 * restores a snapshot of it. A setting that a store could not follow is refused with a sentence
 * that names it.
 *
 * <p>Recovery is never refused. A key that this version does not know, and that is no misspelling,
 * belongs to another version: it is logged, and passes. A snapshot is restored and cloned with all
 * its settings, because nobody can alter them: the sentence is logged. The sentence is also logged
 * if the table has the wrong setting already, and an alter changes something else.
 *
 * <p>Our keys are checked in the table's own values, and in both maps of its families: METADATA,
 * and CONFIGURATION, where METADATA hides a key that is in both. (A table has one map.) If a key of
 * the table or of a family is ours, the settings that the store gets from site, table and family
 * together are checked too. A fault of the site alone is logged, because the table's author cannot
 * mend it. A table without a key of ours always passes.
 */
public final class SettingsCheck {
  private static final Logger LOG = LoggerFactory.getLogger(SettingsCheck.class);

  /** Name of the master's class that restores and clones snapshots. */
  private static final String OF_SNAPSHOTS =
      "org.apache.hadoop.hbase.master.snapshot.SnapshotManager";

  private static final String IN_METADATA = " in " + FamilyConfiguration.METADATA;
  private static final String IN_CONFIGURATION = " in " + FamilyConfiguration.CONFIGURATION;

  private final TableDescriptor table;
  private final Configuration below;
  private final Map<String, String> ofTable;
  private final Set<String> wrongInTable = new HashSet<>();

  /** Sentences about wrong settings for which the master refuses the table. */
  private final Set<String> problems = new LinkedHashSet<>();

  /** Sentences about settings that the master logs and for which it does not refuse the table. */
  private final List<String> warnings = new ArrayList<>();

  private SettingsCheck(Configuration site, TableDescriptor table) {
    this.table = table;
    this.below = below(site, table);
    this.ofTable = FamilyConfiguration.ofTable(table);
  }

  private static SettingsCheck of(Configuration site, TableDescriptor table) {
    SettingsCheck check = new SettingsCheck(site, table);
    check.run();
    return check;
  }

  /**
   * Checks the Winnow settings of a table that is created or altered, and refuses wrong ones.
   * Called by {@code TableDescriptorChecker.sanityCheck}. If HBase's own checks are switched off,
   * by {@code hbase.table.sanity.checks}, a line in the log replaces the refusal.
   *
   * @throws DoNotRetryIOException if a setting of the table is wrong; nothing else is thrown
   */
  public static void check(Configuration site, TableDescriptor table) throws DoNotRetryIOException {
    String refused = null;
    try {
      ForeignReaders.withPrefixes(site, table).forEach(found -> LOG.warn(found.inWords()));
      SettingsCheck check = of(site, table);
      check.warnings.forEach(LOG::warn);
      if (check.problems.isEmpty()) {
        return;
      }
      boolean isOfSnapshot = isOfSnapshot();
      boolean isRefused = isRefused(site, table);
      Set<String> before = isOfSnapshot ? Set.of() : problemsBefore(site, table);
      for (String problem : check.problems) {
        String sentence =
            String.format(
                "%s (checked by Winnow %s; %s = false lets it pass)",
                problem, AgentState.version(), TableDescriptorChecker.TABLE_SANITY_CHECKS);
        if (isOfSnapshot) {
          LOG.warn("{} (a snapshot is restored or cloned with it all the same)", problem);
        } else if (before.contains(problem)) {
          LOG.warn("{} (the table has it already: it is not refused)", problem);
        } else if (!isRefused) {
          LOG.warn(sentence);
        } else if (refused == null) {
          refused = sentence;
        }
      }
    } catch (Throwable e) { // no error of ours is a reason to refuse a table
      LOG.error("Cannot check the filter settings of {}: it passes", table, e);
      return;
    }
    if (refused != null) {
      throw new DoNotRetryIOException(refused);
    }
  }

  /**
   * Returns the wrong settings that a table has before it is altered; none if it is created. HBase
   * does not pass which of the two it does, so the descriptor is read from its place in the file
   * system. If that fails, all problems count as new.
   */
  private static Set<String> problemsBefore(Configuration site, TableDescriptor table) {
    try {
      Path root = CommonFSUtils.getRootDir(site);
      TableDescriptor before =
          FSTableDescriptors.getTableDescriptorFromFs(
              root.getFileSystem(site), root, table.getTableName());
      return before == null ? Set.of() : of(site, before).problems;
    } catch (Exception | LinkageError e) {
      LOG.debug("Cannot read the descriptor that {} has now", table.getTableName(), e);
      return Set.of();
    }
  }

  /**
   * Returns true if the settings come from a snapshot that is restored or cloned, which only the
   * callers on the stack show.
   */
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

  private void run() {
    String name = "Table '" + table.getTableName() + "'";
    wrongInTable.addAll(checkLevel(ofTable, name, ""));
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      String nameOfFamily = name + ", column family '" + family.getNameAsString() + "'";
      checkLevel(FamilyConfiguration.metadata(family), nameOfFamily, IN_METADATA);
      checkLevel(family.getConfiguration(), nameOfFamily, IN_CONFIGURATION);
      Map<String, String> ofFamily = FamilyConfiguration.ofFamily(family);
      if (hasOurs(ofTable) || hasOurs(ofFamily)) {
        checkTogether(FamilyConfiguration.over(below, ofTable, ofFamily), family, nameOfFamily);
      }
    }
  }

  /**
   * Returns the configuration that a table's values override: the site's, in which {@link
   * SystemTables} keeps our filters away from HBase's own tables. If that feature is off or cannot
   * be linked, it is the site's as it is.
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

  /**
   * Checks each Winnow setting in one place, such as a table or the METADATA of a family, by
   * itself, and returns the keys with a wrong value.
   */
  private Set<String> checkLevel(Map<String, String> values, String where, String place) {
    Configuration conf = new CompoundConfiguration().addStringMap(values);
    Set<String> wrong = new HashSet<>();
    for (Map.Entry<String, String> entry : new TreeMap<>(values).entrySet()) {
      String key = entry.getKey();
      if (!isOurs(key)) {
        continue;
      }
      Setting setting = Setting.ofKey(key);
      if (setting == null) {
        String meant = nearest(key.trim().toLowerCase(Locale.ROOT));
        String unknown =
            String.format(
                "%s: %s = '%s'%s is no setting of Winnow's", where, key, entry.getValue(), place);
        if (meant != null) {
          problems.add(unknown + ", did you mean " + meant + "?");
        } else {
          warnings.add(unknown + " in version " + AgentState.version() + ": it does nothing");
        }
        continue;
      }
      if (setting.isOfServer()) {
        problems.add(
            String.format(
                "%s: %s = '%s'%s is a whole server's and stands in hbase-site.xml only",
                where, key, entry.getValue(), place));
        continue;
      }
      try {
        setting.check(conf);
      } catch (WrongSettingException e) {
        problems.add(where + ": " + e.inWords(place));
        wrong.add(key);
      }
    }
    return wrong;
  }

  /**
   * Checks the settings of a family together, as its stores see them, and as they would see them
   * without the METADATA that overrides others.
   */
  private void checkTogether(Configuration conf, ColumnFamilyDescriptor family, String where) {
    KeyKind general = KeyKind.of(family.getBloomFilterType());
    KeyKind kind = general == null ? KeyKind.DELETE_FAMILY : general;
    Set<String> seen = new HashSet<>();
    Configuration rest = conf;
    WrongSettingException e = wrongIn(rest, kind);
    while (e != null && seen.add(e.key)) {
      add(e, FamilyConfiguration.place(below, table, family, e.key), kind, where);
      rest = WinnowSettings.withDefault(rest, e.key);
      e = wrongIn(rest, kind);
    }
    for (Map.Entry<String, String> hidden : FamilyFilters.hidden(conf, family).entrySet()) {
      String key = hidden.getKey();
      warnings.add(where + ": " + hidden.getValue() + ": change METADATA, or remove it there");
      Map<String, String> shown = Map.of(key, family.getConfigurationValue(key));
      e = wrongIn(FamilyConfiguration.over(rest, shown), kind);
      if (e != null && e.key.equals(key)) {
        problems.add(where + ": " + e.inWords(IN_CONFIGURATION));
      }
    }
    String lack = FamilyFilters.lack(table, family);
    if (lack != null) {
      warnings.add(where + ": " + lack);
    }
  }

  private void add(WrongSettingException e, String place, KeyKind kind, String where) {
    if (FamilyConfiguration.TABLE.equals(place)) {
      if (!wrongInTable.contains(e.key)) {
        problems.add(where + ": " + e.inWords());
      }
      return;
    }
    String problem = e.inWords(" in " + place);
    WrongSettingException ofSite =
        FamilyConfiguration.SITE.equals(place) ? wrongIn(below, kind) : null;
    if (ofSite != null && ofSite.key.equals(e.key)) {
      warnings.add(problem);
    } else {
      problems.add(where + ": " + problem);
    }
  }

  private static WrongSettingException wrongIn(Configuration conf, KeyKind kind) {
    try {
      for (Occasion occasion : Occasion.values()) {
        WinnowSettings.FilterSetting filter = WinnowSettings.FilterSetting.in(conf, occasion);
        if (filter != null) {
          WinnowSettings.of(conf, kind, filter);
        }
      }
      return null;
    } catch (WrongSettingException e) {
      return e;
    }
  }

  /**
   * Returns the Winnow setting whose key needs the fewest changed letters to equal a word; null if
   * that takes more than three.
   */
  private static String nearest(String word) {
    String nearest = null;
    int fewest = 4;
    for (Setting setting : Setting.values()) {
      int changes = changes(word, setting.key);
      if (changes < fewest) {
        fewest = changes;
        nearest = setting.key;
      }
    }
    return nearest;
  }

  /**
   * Returns Levenshtein's distance of two words: the number of letters that are inserted, left out
   * and replaced.
   */
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

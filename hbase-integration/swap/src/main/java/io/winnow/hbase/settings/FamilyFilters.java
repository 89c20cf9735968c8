package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * Which filters a column family asks for, as a server with the agent would read it from the family,
 * the table, and hbase-site.xml: for tools. Immutable.
 */
public final class FamilyFilters {
  /** What a family has whose {@code BLOOMFILTER} is {@code NONE}. */
  public static final String NONE = "none";

  /** Says why a family with that {@code BLOOMFILTER} has no filters, and what to do. */
  public static final String NO_FILTER =
      "no filter is written because BLOOMFILTER is NONE; set ROW";

  private final String flush;
  private final String minorCompaction;
  private final String otherwise;
  private final String prefixRule;
  private final String wrongKey;
  private final String problem;
  private final String lack;

  private FamilyFilters(
      String flush,
      String minorCompaction,
      String otherwise,
      String prefixRule,
      String wrongKey,
      String problem,
      String lack) {
    this.flush = flush;
    this.minorCompaction = minorCompaction;
    this.otherwise = otherwise;
    this.prefixRule = prefixRule;
    this.wrongKey = wrongKey;
    this.problem = problem;
    this.lack = lack;
  }

  /** The label of the filter that files of a flush get, {@code bloom} for HBase's own. */
  public String flush() {
    return flush;
  }

  /** The same for files of a compaction of some of a store's files. */
  public String minorCompaction() {
    return minorCompaction;
  }

  /** The same for files of a major compaction, of a bulk load, of a tool. */
  public String otherwise() {
    return otherwise;
  }

  /**
   * Which part of a row is a key beside the row in Winnow's filters, as {@code winnow.scan.prefix}
   * has it; null if none is.
   */
  public String prefixRule() {
    return prefixRule;
  }

  /**
   * What is wrong with a setting, in words, so that HBase's own filter is written; null if nothing
   * is.
   */
  public String problem() {
    return problem;
  }

  /** The key of the wrong setting; null if none is wrong. */
  public String wrongKey() {
    return wrongKey;
  }

  /**
   * Why no filter is written, in words, though the family or its table asks for one; null if that
   * is not so.
   */
  public String lack() {
    return lack;
  }

  /**
   * Of a family of a table.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static FamilyFilters of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    if (family.getBloomFilterType() == BloomType.NONE) {
      return new FamilyFilters(NONE, NONE, NONE, null, null, null, lack(table, family));
    }
    Configuration conf = FamilyConfiguration.of(site, table, family);
    try {
      KeyKind kind = KeyKind.of(family.getBloomFilterType());
      return new FamilyFilters(
          label(conf, kind, Occasion.FLUSH),
          label(conf, kind, Occasion.MINOR_COMPACTION),
          label(conf, kind, Occasion.OTHER),
          prefixRule(conf, kind),
          null,
          null,
          null);
    } catch (WrongSettingException e) {
      String stock = FilterChoice.BLOOM.label();
      String place =
          FamilyConfiguration.place(SystemTables.below(site, table), table, family, e.key());
      String problem = e.inWords(" in " + place);
      return new FamilyFilters(stock, stock, stock, null, e.key(), problem, null);
    }
  }

  /**
   * Returns a sentence if the family has BLOOMFILTER NONE, though it or its table asks for a filter
   * of ours; else null. A filter for the whole site is none that somebody wants in this family.
   */
  static String lack(TableDescriptor table, ColumnFamilyDescriptor family) {
    Configuration own =
        FamilyConfiguration.over(
            new Configuration(false),
            FamilyConfiguration.ofTable(table),
            FamilyConfiguration.ofFamily(family));
    return family.getBloomFilterType() == BloomType.NONE && WinnowSettings.askedIn(own)
        ? NO_FILTER
        : null;
  }

  /**
   * Returns the place, for people, of the setting that asks for a filter: METADATA, CONFIGURATION,
   * the table or hbase-site.xml; null if none does.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static String place(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    Configuration below = SystemTables.below(site, table);
    for (Setting setting :
        new Setting[] {Setting.FILTER, Setting.FILTER_FLUSH, Setting.FILTER_COMPACTION}) {
      String place = FamilyConfiguration.place(below, table, family, setting.key());
      if (place != null) {
        return place;
      }
    }
    return null;
  }

  /**
   * Returns a sentence for each setting of filters in the family's CONFIGURATION that its METADATA
   * hides, by the setting's key. HBase's own settings count where a filter of ours is asked for.
   *
   * @param conf what a store of the family works with
   */
  static Map<String, String> hidden(Configuration conf, ColumnFamilyDescriptor family) {
    Map<String, String> hidden = new TreeMap<>();
    Map<String, String> metadata = FamilyConfiguration.metadata(family);
    boolean asks = WinnowSettings.askedIn(conf);
    family
        .getConfiguration()
        .forEach(
            (key, value) -> {
              boolean counts = asks ? WinnowSettings.isRead(key) : key.startsWith(Setting.PREFIX);
              if (counts && metadata.containsKey(key)) {
                hidden.put(
                    key,
                    String.format(
                        "%s = '%s' in %s hides '%s' in %s",
                        key,
                        metadata.get(key),
                        FamilyConfiguration.METADATA,
                        value,
                        FamilyConfiguration.CONFIGURATION));
              }
            });
    return hidden;
  }

  /**
   * Returns a sentence for each setting of ours in the family's METADATA, and for each that it
   * hides, by the setting's key.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static Map<String, String> ofMetadata(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    Map<String, String> sentences = new TreeMap<>();
    FamilyConfiguration.metadata(family)
        .forEach(
            (key, value) -> {
              if (key.startsWith(Setting.PREFIX)) {
                sentences.put(
                    key,
                    String.format(
                        "%s = '%s' is in METADATA, which CONFIGURATION does not change",
                        key, value));
              }
            });
    sentences.putAll(hidden(FamilyConfiguration.of(site, table, family), family));
    return sentences;
  }

  private static String label(Configuration conf, KeyKind kind, Occasion occasion)
      throws WrongSettingException {
    WinnowSettings.Asked asked = WinnowSettings.Asked.in(conf, occasion);
    return asked == null
        ? FilterChoice.BLOOM.label()
        : WinnowSettings.of(conf, kind, asked).type().label();
  }

  private static String prefixRule(Configuration conf, KeyKind kind) throws WrongSettingException {
    PrefixRule rule = WinnowSettings.prefixRule(conf, kind);
    return rule == null ? null : rule.toString();
  }

  /** As in <i>bumped-ribbon, flushes ribbon</i>. */
  public String inWords() {
    String text = otherwise;
    if (!minorCompaction.equals(otherwise)) {
      text += ", minor compactions " + minorCompaction;
    }
    return flush.equals(otherwise) ? text : text + ", flushes " + flush;
  }

  /**
   * Whether any file of the family would get a filter that is not HBase's own, or only BLOOMFILTER
   * stands in its way.
   */
  public boolean asksForWinnow() {
    return isWinnow(flush) || isWinnow(minorCompaction) || isWinnow(otherwise) || lack != null;
  }

  /** Whether the label is that of a filter which HBase reads only with the agent. */
  public static boolean isWinnow(String filter) {
    return !filter.equals(FilterChoice.BLOOM.label()) && !filter.equals(NONE);
  }
}

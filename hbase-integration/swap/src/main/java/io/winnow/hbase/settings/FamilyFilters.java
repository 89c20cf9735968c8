package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.SegmentRule;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * The filters that a column family gets from a server with the agent, by the settings of the
 * family, the table and hbase-site.xml. For tools. Immutable.
 */
public final class FamilyFilters {
  /** Label of the filter of a family whose {@code BLOOMFILTER} is {@code NONE}. */
  public static final String NONE = "none";

  /**
   * Message for a family whose settings select a filter and whose {@code BLOOMFILTER} is {@code
   * NONE}: no filter is written, and how to change that.
   */
  public static final String NO_FILTER =
      "no filter is written because BLOOMFILTER is NONE; set ROW";

  /**
   * The label of the family's filter in files that a flush writes; {@code bloom} for HBase's own.
   */
  public final String flush;

  /** The label of the family's filter in files that a minor compaction writes. */
  public final String minorCompaction;

  /**
   * The label of the family's filter in files that a major compaction, a bulk load or a tool
   * writes.
   */
  public final String otherwise;

  /**
   * The rule for the row prefixes in the family's Winnow filters, as {@code winnow.scan.prefix} has
   * it; null if they have none.
   */
  public final String prefixRule;

  /**
   * The rule for the segments of a file's rows, as {@code winnow.scan.segment} has it; null if a
   * file keeps none.
   */
  public final String segmentRule;

  /** The key of a wrong setting of the family; null if none is wrong. */
  public final String wrongKey;

  /**
   * A sentence about a wrong setting of the family, because of which HBase's own filter is written,
   * or no key segments; null if none is wrong.
   */
  public final String problem;

  /**
   * A sentence on why no filter is written although the settings of family or table select one;
   * null if that is not so.
   */
  public final String lack;

  private FamilyFilters(
      String flush,
      String minorCompaction,
      String otherwise,
      String prefixRule,
      String segmentRule,
      String wrongKey,
      String problem,
      String lack) {
    this.flush = flush;
    this.minorCompaction = minorCompaction;
    this.otherwise = otherwise;
    this.prefixRule = prefixRule;
    this.segmentRule = segmentRule;
    this.wrongKey = wrongKey;
    this.problem = problem;
    this.lack = lack;
  }

  /**
   * Returns the filters that the settings of a column family select.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static FamilyFilters of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    Configuration conf = FamilyConfiguration.of(site, table, family);
    String segmentRule = null;
    String wrongKey = null;
    String problem = null;
    try {
      SegmentRule rule = WinnowSettings.segmentRule(conf);
      segmentRule = rule == null ? null : rule.toString();
    } catch (WrongSettingException e) {
      wrongKey = e.key;
      problem = problem(site, table, family, e);
    }
    if (family.getBloomFilterType() == BloomType.NONE) {
      return new FamilyFilters(
          NONE, NONE, NONE, null, segmentRule, wrongKey, problem, lack(table, family));
    }
    try {
      KeyKind kind = KeyKind.of(family.getBloomFilterType());
      return new FamilyFilters(
          label(conf, kind, Occasion.FLUSH),
          label(conf, kind, Occasion.MINOR_COMPACTION),
          label(conf, kind, Occasion.OTHER),
          prefixRule(conf, kind),
          segmentRule,
          wrongKey,
          problem,
          null);
    } catch (WrongSettingException e) {
      String stock = FilterChoice.BLOOM.label;
      problem = problem(site, table, family, e);
      return new FamilyFilters(stock, stock, stock, null, segmentRule, e.key, problem, null);
    }
  }

  private static String problem(
      Configuration site,
      TableDescriptor table,
      ColumnFamilyDescriptor family,
      WrongSettingException wrong) {
    Configuration below = SystemTables.below(site, table);
    return wrong.inWords(" in " + FamilyConfiguration.place(below, table, family, wrong.key));
  }

  /**
   * Returns a sentence if the family has BLOOMFILTER NONE although its settings or those of its
   * table select a Winnow filter; else null. A filter for the whole site does not count as wanted
   * in this family.
   */
  static String lack(TableDescriptor table, ColumnFamilyDescriptor family) {
    Configuration own =
        FamilyConfiguration.over(
            new Configuration(false),
            FamilyConfiguration.ofTable(table),
            FamilyConfiguration.ofFamily(family));
    return family.getBloomFilterType() == BloomType.NONE && WinnowSettings.wantsWinnow(own)
        ? NO_FILTER
        : null;
  }

  /**
   * Returns the name of the place of the setting that selects the family's filter: METADATA,
   * CONFIGURATION, the table or hbase-site.xml; null if none does.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
   */
  public static String place(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    Configuration below = SystemTables.below(site, table);
    for (Setting setting :
        new Setting[] {Setting.FILTER, Setting.FILTER_FLUSH, Setting.FILTER_COMPACTION}) {
      String place = FamilyConfiguration.place(below, table, family, setting.key);
      if (place != null) {
        return place;
      }
    }
    return null;
  }

  /**
   * Returns, by key, a sentence for each filter setting in the family's CONFIGURATION that its
   * METADATA overrides. HBase's own settings count if the family wants a filter of ours.
   *
   * @param conf the configuration that a store of the family uses
   */
  static Map<String, String> hidden(Configuration conf, ColumnFamilyDescriptor family) {
    Map<String, String> hidden = new TreeMap<>();
    Map<String, String> metadata = FamilyConfiguration.metadata(family);
    boolean wantsOurs = WinnowSettings.wantsWinnow(conf);
    family
        .getConfiguration()
        .forEach(
            (key, value) -> {
              boolean counts =
                  wantsOurs ? WinnowSettings.isRead(key) : key.startsWith(Setting.PREFIX);
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
   * Returns, by key, a sentence for each Winnow setting in the family's METADATA, and for each
   * setting that METADATA overrides.
   *
   * @param site the configuration of a server, which includes hbase-site.xml
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
    WinnowSettings.FilterSetting filter = WinnowSettings.FilterSetting.in(conf, occasion);
    return filter == null
        ? FilterChoice.BLOOM.label
        : WinnowSettings.of(conf, kind, filter).type().label();
  }

  private static String prefixRule(Configuration conf, KeyKind kind) throws WrongSettingException {
    PrefixRule rule = WinnowSettings.prefixRule(conf, kind);
    return rule == null ? null : rule.toString();
  }

  /**
   * Returns the filters that a family gets, in words, such as <i>bumped-ribbon, flushes ribbon</i>.
   */
  public String inWords() {
    String text = otherwise;
    if (!minorCompaction.equals(otherwise)) {
      text += ", minor compactions " + minorCompaction;
    }
    return flush.equals(otherwise) ? text : text + ", flushes " + flush;
  }

  /**
   * Returns true if any file of the family would get a Winnow filter, or if only BLOOMFILTER
   * prevents it.
   */
  public boolean asksForWinnow() {
    return isWinnow(flush) || isWinnow(minorCompaction) || isWinnow(otherwise) || lack != null;
  }

  /** Returns true if a label is that of a filter that HBase reads only with the agent. */
  public static boolean isWinnow(String filter) {
    return !filter.equals(FilterChoice.BLOOM.label) && !filter.equals(NONE);
  }
}

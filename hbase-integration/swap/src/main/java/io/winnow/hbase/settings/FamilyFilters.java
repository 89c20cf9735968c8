package io.winnow.hbase.settings;

import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.format.PrefixRule;
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

  private final String flush;
  private final String minorCompaction;
  private final String otherwise;
  private final String prefixRule;
  private final String problem;

  private FamilyFilters(
      String flush, String minorCompaction, String otherwise, String prefixRule, String problem) {
    this.flush = flush;
    this.minorCompaction = minorCompaction;
    this.otherwise = otherwise;
    this.prefixRule = prefixRule;
    this.problem = problem;
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

  /**
   * Of a family of a table.
   *
   * @param site the configuration of a server, hbase-site.xml in it
   */
  public static FamilyFilters of(
      Configuration site, TableDescriptor table, ColumnFamilyDescriptor family) {
    if (family.getBloomFilterType() == BloomType.NONE) {
      return new FamilyFilters(NONE, NONE, NONE, null, null);
    }
    Configuration conf = FamilyConfiguration.of(site, table, family);
    try {
      KeyKind kind = KeyKind.of(family.getBloomFilterType());
      return new FamilyFilters(
          label(conf, kind, Occasion.FLUSH),
          label(conf, kind, Occasion.MINOR_COMPACTION),
          label(conf, kind, Occasion.OTHER),
          prefixRule(conf, kind),
          null);
    } catch (WrongSettingException e) {
      String stock = FilterChoice.BLOOM.label();
      return new FamilyFilters(stock, stock, stock, null, e.inWords());
    }
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

  /** Whether any file of the family would get a filter that is not HBase's own. */
  public boolean asksForWinnow() {
    return isWinnow(flush) || isWinnow(minorCompaction) || isWinnow(otherwise);
  }

  /** Whether the label is that of a filter which HBase reads only with the agent. */
  public static boolean isWinnow(String filter) {
    return !filter.equals(FilterChoice.BLOOM.label()) && !filter.equals(NONE);
  }
}

package io.winnow.hbase.agent;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A class of HBase that is woven. */
final class WovenClass {
  /** All that is woven: one line each. */
  static final List<WovenClass> ALL =
      List.of(
          new WovenClass(
              BloomFilterFactoryWeaver.TARGET,
              Feature.FILTERS,
              BloomFilterFactoryWeaver::problemWith,
              BloomFilterFactoryWeaver::weave),
          new WovenClass(
              StoreUtilsWeaver.TARGET,
              Feature.SYSTEM_TABLES,
              StoreUtilsWeaver::problemWith,
              StoreUtilsWeaver::weave),
          new WovenClass(
              TableDescriptorCheckerWeaver.TARGET,
              Feature.SETTINGS_CHECK,
              TableDescriptorCheckerWeaver::problemWith,
              TableDescriptorCheckerWeaver::weave),
          new WovenClass(
              RegionServerMetricsWeaver.TARGET,
              Feature.METRICS,
              RegionServerMetricsWeaver::problemWith,
              RegionServerMetricsWeaver::weave),
          new WovenClass(
              StoreFileScannerWeaver.TARGET,
              Feature.FALSE_POSITIVES,
              StoreFileScannerWeaver::problemWith,
              StoreFileScannerWeaver::weave),
          new WovenClass(
              StoreFileReaderWeaver.TARGET,
              Feature.SCANS,
              StoreFileReaderWeaver::problemWith,
              StoreFileReaderWeaver::weave),
          new WovenClass(
              StoreEngineWeaver.TARGET,
              Feature.STORE_RATES,
              StoreEngineWeaver::problemWith,
              StoreEngineWeaver::weave),
          new WovenClass(
              CompactorWeaver.TARGET,
              Feature.STORE_RATES,
              CompactorWeaver::problemWith,
              CompactorWeaver::weave),
          new WovenClass(
              PageWeaver.TARGET, Feature.PAGE, PageWeaver::problemWith, PageWeaver::weave),
          pageLink(PageLinkWeaver.STATUS_OF_2),
          pageLink(PageLinkWeaver.BAR),
          bulkLoad(BulkLoadWeaver.SPLITTER_OF_2),
          bulkLoad(BulkLoadWeaver.SPLITTER_OF_3),
          bulkLoad(BulkLoadWeaver.OUTPUT_FORMAT),
          bulkLoad(BulkLoadWeaver.RECORD_WRITER));

  private final String target;
  private final Feature feature;
  private final Function<byte[], String> problem;
  private final UnaryOperator<byte[]> weaver;

  WovenClass(
      String target,
      Feature feature,
      Function<byte[], String> problem,
      UnaryOperator<byte[]> weaver) {
    this.target = target;
    this.feature = feature;
    this.problem = problem;
    this.weaver = weaver;
  }

  /** Its internal name. */
  String target() {
    return target;
  }

  /** What needs it: one that is required, or one that is off where this class does not fit. */
  Feature feature() {
    return feature;
  }

  /** What is wrong with a class file for weaving, in words; null if nothing is. */
  Function<byte[], String> problem() {
    return problem;
  }

  /** Makes the woven class file of one that has no problem; null if it is to stay as it is. */
  UnaryOperator<byte[]> weaver() {
    return weaver;
  }

  private static WovenClass bulkLoad(String target) {
    return new WovenClass(
        target,
        Feature.BULK_LOAD,
        classFile -> BulkLoadWeaver.problemWith(target, classFile),
        classFile -> BulkLoadWeaver.weave(target, classFile));
  }

  private static WovenClass pageLink(String target) {
    return new WovenClass(
        target,
        Feature.PAGE,
        classFile -> PageLinkWeaver.problemWith(target, classFile),
        PageLinkWeaver::weave);
  }

  /**
   * Whether it is looked at when it is loaded, and not before: many JVMs do not have the classes of
   * tools, nor each line of HBase those of the web pages.
   */
  boolean isLate() {
    return feature.isOfTools() || PageLinkWeaver.isTarget(target);
  }

  /** As a Java programmer writes it. */
  String className() {
    return target.replace('/', '.');
  }

  String simpleName() {
    return target.substring(target.lastIndexOf('/') + 1);
  }
}

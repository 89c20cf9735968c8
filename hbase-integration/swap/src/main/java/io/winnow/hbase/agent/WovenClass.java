package io.winnow.hbase.agent;

import static io.winnow.hbase.agent.CallsInFront.Call.in;
import static io.winnow.hbase.agent.CallsInFront.Call.inStatic;

import java.util.List;

/**
 * A class of HBase that is woven, and the table of all of them.
 *
 * <p>A row of calls says: in front of this method, that hook is called with these of its arguments,
 * by their numbers as the JVM counts them (0 is {@code this} where the method is not static), and
 * what it returns takes the place of one of them.
 */
final class WovenClass {
  private static final String HBASE = "org/apache/hadoop/hbase/";
  private static final String SERVER = HBASE + "regionserver/";
  private static final String COMPACTIONS = SERVER + "compactions/";
  private static final String OUTPUT_FORMAT = HBASE + "mapreduce/HFileOutputFormat2";
  private static final String SPLITTER_OF_2 = HBASE + "tool/LoadIncrementalHFiles";
  private static final String JOB = "org/apache/hadoop/mapreduce/Job";

  private static final String CONF = "Lorg/apache/hadoop/conf/Configuration;";
  private static final String PATH = "Lorg/apache/hadoop/fs/Path;";
  private static final String TABLE = "L" + HBASE + "client/TableDescriptor;";
  private static final String FAMILY = "L" + HBASE + "client/ColumnFamilyDescriptor;";
  private static final String LIST = "Ljava/util/List;";
  private static final String WRITER_PARAMS = "L" + SERVER + "CreateStoreFileWriterParams;";
  private static final String COMPACTION = "L" + COMPACTIONS + "CompactionRequestImpl;";

  private static final String HOOKS = "io/winnow/hbase/hooks/";
  private static final String BULK_LOAD_HOOKS = HOOKS + "BulkLoadHooks";

  /** All that is woven: a row each. */
  static final List<WovenClass> ALL =
      List.of(
          new WovenClass(Feature.FILTERS, new BloomFilterFactoryWeaver()),
          // The site's choice of a filter is kept away from system tables, where a store lays its
          // settings over the site's.
          calls(
              Feature.SYSTEM_TABLES,
              SERVER + "StoreUtils",
              inStatic("createStoreConfiguration(" + CONF + TABLE + FAMILY + ")" + CONF)
                  .to(HOOKS + "SystemTableHooks", "below", "(" + CONF + TABLE + ")" + CONF, 0, 1)
                  .into(0)),
          // A master checks our settings with its own.
          calls(
              Feature.SETTINGS_CHECK,
              HBASE + "util/TableDescriptorChecker",
              inStatic("sanityCheck(" + CONF + TABLE + ")V")
                  .to(HOOKS + "SettingsHooks", "check", "(" + CONF + TABLE + ")V", 0, 1)),
          // A region server that starts tells Winnow's metrics beside its own. The call stands
          // before the call of super(): the JVM allows that, the language does not.
          calls(
              Feature.METRICS,
              SERVER + "MetricsRegionServerWrapperImpl",
              in("<init>(L" + SERVER + "HRegionServer;)V")
                  .to(HOOKS + "ServerHooks", "starts", "(L" + SERVER + "HRegionServer;)V", 1)),
          new WovenClass(Feature.FALSE_POSITIVES, new StoreFileScannerWeaver()),
          new WovenClass(Feature.SCANS, new StoreFileReaderWeaver()),
          // What selects the scanners of a scan shows them before it queries them: one that is not
          // HBase's own may show other rows than its file has.
          calls(
              Feature.SCANS,
              SERVER + "StoreScanner",
              in("selectScannersFrom(L" + SERVER + "HStore;" + LIST + ")" + LIST)
                  .to(HOOKS + "ScanHooks", "selects", "(" + LIST + ")V", 2)),
          // A store tells what it has before one of its files is written.
          calls(
              Feature.STORE_RATES,
              SERVER + "StoreEngine",
              in("createWriter(" + WRITER_PARAMS + ")L" + SERVER + "StoreFileWriter;")
                  .to(
                      HOOKS + "StoreHooks",
                      "createsWriter",
                      "(L" + SERVER + "StoreEngine;" + WRITER_PARAMS + ")V",
                      0,
                      1)),
          // A compaction tells which files go: the method that makes the new file's writer is not
          // told.
          calls(
              Feature.STORE_RATES,
              COMPACTIONS + "Compactor",
              in(("compact(" + COMPACTION)
                      + ("L" + COMPACTIONS + "Compactor$InternalScannerFactory;")
                      + ("L" + COMPACTIONS + "Compactor$CellSinkFactory;")
                      + ("L" + SERVER + "throttle/ThroughputController;")
                      + ("L" + HBASE + "security/User;)" + LIST))
                  .to(HOOKS + "StoreHooks", "compacts", "(" + COMPACTION + ")V", 1)),
          // A region server puts up our page with its own ones: a method of HBase 3, or of 2.
          calls(
              Feature.PAGE,
              SERVER + "HRegionServer",
              in("configureInfoServer(L" + HBASE + "http/InfoServer;)V", "configureInfoServer()V")
                  .to(HOOKS + "PageHooks", "putsUpPages", "(L" + SERVER + "HRegionServer;)V", 0)),
          new WovenClass(Feature.PAGE, new PageLinkWeaver(PageLinkWeaver.STATUS_OF_2)),
          new WovenClass(Feature.PAGE, new PageLinkWeaver(PageLinkWeaver.BAR)),
          // The tools of bulk load know what filter a family asks for: the two that split a file,
          // of HBase 2 and 3, what sets up a job, and the job's record writer. HBase 2 has the
          // class
          // of 3, too, which there inherits the method.
          calls(
              Feature.BULK_LOAD,
              SPLITTER_OF_2,
              inStatic(copyHFileHalf(""))
                  .to(BULK_LOAD_HOOKS, "ofFamily", "(" + CONF + FAMILY + ")" + CONF, 0, 4)
                  .into(0)),
          new WovenClass(
              Feature.BULK_LOAD,
              new CallsInFront(
                  HBASE + "tool/BulkLoadHFilesTool",
                  SPLITTER_OF_2,
                  inStatic(copyHFileHalf("L" + HBASE + "client/AsyncTableRegionLocator;"))
                      .to(BULK_LOAD_HOOKS, "ofFamily", "(" + CONF + FAMILY + ")" + CONF, 0, 4)
                      .into(0))),
          calls(
              Feature.BULK_LOAD,
              OUTPUT_FORMAT,
              remembers(
                  "configureIncrementalLoad(L" + JOB + ";" + LIST + "Ljava/lang/Class;)V", LIST),
              remembers("configureIncrementalLoadMap(L" + JOB + ";" + TABLE + ")V", TABLE)),
          calls(
              Feature.BULK_LOAD,
              OUTPUT_FORMAT + "$1",
              in(("getNewWriter([B[B" + CONF + "[Ljava/net/InetSocketAddress;)")
                      + ("L" + OUTPUT_FORMAT + "$WriterLength;"))
                  .to(BULK_LOAD_HOOKS, "ofFamily", "(" + CONF + "[B[B)" + CONF, 3, 1, 2)
                  .into(3)));

  private final Feature feature;
  private final Weaver weaver;

  WovenClass(Feature feature, Weaver weaver) {
    this.feature = feature;
    this.weaver = weaver;
  }

  /** Its internal name. */
  String target() {
    return weaver.target();
  }

  /** What needs it: one that is required, or one that is off where this class does not fit. */
  Feature feature() {
    return feature;
  }

  Weaver weaver() {
    return weaver;
  }

  private static WovenClass calls(Feature feature, String target, CallsInFront.Call... calls) {
    return new WovenClass(feature, new CallsInFront(target, null, calls));
  }

  private static String copyHFileHalf(String lastArgument) {
    return ("copyHFileHalf(" + CONF + PATH + PATH)
        + ("L" + HBASE + "io/Reference;" + FAMILY + lastArgument + ")V");
  }

  /** {@code BulkLoadHooks.remember(job.getConfiguration(), tables)}. */
  private static CallsInFront.Call remembers(String method, String tables) {
    return inStatic(method)
        .with(0, JOB, "getConfiguration", "()" + CONF)
        .to(BULK_LOAD_HOOKS, "remember", "(" + CONF + tables + ")V", 1);
  }

  /**
   * Whether it is looked at when it is loaded, and not before: many JVMs do not have the classes of
   * tools, nor each line of HBase those of the web pages.
   */
  boolean isLate() {
    return feature.isOfTools() || PageLinkWeaver.isTarget(target());
  }

  /** As a Java programmer writes it. */
  String className() {
    return target().replace('/', '.');
  }

  String simpleName() {
    return target().substring(target().lastIndexOf('/') + 1);
  }
}

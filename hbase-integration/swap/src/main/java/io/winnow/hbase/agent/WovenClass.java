package io.winnow.hbase.agent;

import static io.winnow.hbase.agent.CallsInFront.Call.in;
import static io.winnow.hbase.agent.CallsInFront.Call.inStatic;

import java.util.List;

/**
 * A class of HBase that is woven, with the feature of Winnow that needs it. {@link #ALL} is the
 * table of all such classes.
 *
 * <p>A row of calls has a method, the hook that is called in front of it, and the numbers of the
 * method's arguments that the hook gets, as the JVM counts them (0 is {@code this} if the method is
 * not static). The hook's result may take the place of one of them, or end the method.
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
  private static final String SCAN = "L" + HBASE + "client/Scan;";
  private static final String OBJECT = "Ljava/lang/Object;";
  private static final String REGION = "L" + SERVER + "HRegion;";
  private static final String FILTER = "L" + HBASE + "util/BloomFilter;";
  private static final String WRITER_PARAMS = "L" + SERVER + "CreateStoreFileWriterParams;";
  private static final String COMPACTION = "L" + COMPACTIONS + "CompactionRequestImpl;";

  private static final String HOOKS = "io/winnow/hbase/hooks/";
  private static final String BULK_LOAD_HOOKS = HOOKS + "BulkLoadHooks";

  /** All classes of HBase that are woven. */
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
          // A region server that starts publishes Winnow's metrics beside its own. The call stands
          // before the call of super(): the JVM allows that, the language does not.
          calls(
              Feature.METRICS,
              SERVER + "MetricsRegionServerWrapperImpl",
              in("<init>(L" + SERVER + "HRegionServer;)V")
                  .to(HOOKS + "ServerHooks", "starts", "(L" + SERVER + "HRegionServer;)V", 1)),
          new WovenClass(Feature.FALSE_POSITIVES, new StoreFileScannerWeaver()),
          // A scan skips a file if a filter or key segments rule out all rows between the scan's
          // bounds. HBase sets the field of the filter to null if a block of the filter cannot be
          // read, so the field is read once. HBase before 2.6.4 has no public accessor of it.
          calls(
              Feature.SCANS,
              SERVER + "StoreFileReader",
              in("passesBloomFilter(" + SCAN + "Ljava/util/SortedSet;)Z")
                  .opening(
                      SERVER + "StoreFileReader",
                      "winnow$segment",
                      HOOKS + "ScanHooks",
                      "segmentOf")
                  .with(0)
                  .withField(SERVER + "StoreFileReader", "generalBloomFilter", FILTER)
                  .withAdded(SERVER + "StoreFileReader")
                  .to(
                      HOOKS + "ScanHooks",
                      "mayHaveRows",
                      "(L" + SERVER + "StoreFileReader;" + FILTER + OBJECT + SCAN + ")Z",
                      1)
                  .orReturnFalse()),
          // The writer of a file collects the key segments of its rows.
          new WovenClass(Feature.SCANS, new HFileWriterWeaver()),
          // A store passes the scanners of a scan to us before it queries them: one that is not
          // HBase's own may show other rows than its file has. The scan shows if its region's
          // scanner has read the ranges of the filter.
          calls(
              Feature.SCANS,
              SERVER + "StoreScanner",
              in("selectScannersFrom(L" + SERVER + "HStore;" + LIST + ")" + LIST)
                  .with(2)
                  .withField(SERVER + "StoreScanner", "scan", SCAN)
                  .to(HOOKS + "ScanHooks", "selects", "(" + LIST + SCAN + ")V")),
          // The scanner of a region reads the ranges of its filter before the stores select files.
          calls(
              Feature.FILTER_RANGES,
              SERVER + "RegionScannerImpl",
              in("initializeScanners(" + SCAN + LIST + ")V")
                  .with(0)
                  .withField(SERVER + "RegionScannerImpl", "region", REGION)
                  .to(
                      HOOKS + "RangeHooks",
                      "opens",
                      "(" + OBJECT + REGION + SCAN + LIST + ")V",
                      1,
                      2)),
          // A store passes what it has before one of its files is written.
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
          // A compaction passes the files that go, which the method that makes the new file's
          // writer does not have.
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
          // The tools of bulk load use the family's filter: the two that split a file, of HBase 2
          // and 3, the one that sets up a job, and the job's record writer. HBase 2 has the
          // class of 3 too, which inherits the method there.
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
              records(
                  "configureIncrementalLoad(L" + JOB + ";" + LIST + "Ljava/lang/Class;)V", LIST),
              records("configureIncrementalLoadMap(L" + JOB + ";" + TABLE + ")V", TABLE)),
          calls(
              Feature.BULK_LOAD,
              OUTPUT_FORMAT + "$1",
              in(("getNewWriter([B[B" + CONF + "[Ljava/net/InetSocketAddress;)")
                      + ("L" + OUTPUT_FORMAT + "$WriterLength;"))
                  .to(BULK_LOAD_HOOKS, "ofFamily", "(" + CONF + "[B[B)" + CONF, 3, 1, 2)
                  .into(3)));

  /**
   * The feature of Winnow that a class of HBase is woven for, and that is off if the class does not
   * fit.
   */
  final Feature feature;

  final Weaver weaver;

  WovenClass(Feature feature, Weaver weaver) {
    this.feature = feature;
    this.weaver = weaver;
  }

  /** Returns the internal name of the class of HBase that is woven. */
  String target() {
    return weaver.target;
  }

  private static WovenClass calls(Feature feature, String target, CallsInFront.Call... calls) {
    return new WovenClass(feature, new CallsInFront(target, null, calls));
  }

  private static String copyHFileHalf(String lastArgument) {
    return ("copyHFileHalf(" + CONF + PATH + PATH)
        + ("L" + HBASE + "io/Reference;" + FAMILY + lastArgument + ")V");
  }

  /**
   * Returns the call of {@code BulkLoadHooks.record(job.getConfiguration(), tables)} in front of a
   * method.
   */
  private static CallsInFront.Call records(String method, String tables) {
    return inStatic(method)
        .with(0, JOB, "getConfiguration", "()" + CONF)
        .to(BULK_LOAD_HOOKS, "record", "(" + CONF + tables + ")V", 1);
  }

  /**
   * Returns true if the class of HBase is checked only when it is loaded: many JVMs do not have the
   * classes of tools, and not each line of HBase has those of the web pages.
   */
  boolean isLate() {
    return feature.isOfTools() || PageLinkWeaver.isTarget(target());
  }

  /** Returns the name of the woven class as Java code has it. */
  String className() {
    return target().replace('/', '.');
  }

  String simpleName() {
    return target().substring(target().lastIndexOf('/') + 1);
  }
}

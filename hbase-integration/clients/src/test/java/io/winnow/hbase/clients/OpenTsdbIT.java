package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.stumbleupon.async.Deferred;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import net.opentsdb.core.DataPoint;
import net.opentsdb.core.DataPoints;
import net.opentsdb.core.Query;
import net.opentsdb.core.SeekableView;
import net.opentsdb.core.TSDB;
import net.opentsdb.core.TSQuery;
import net.opentsdb.core.TSSubQuery;
import net.opentsdb.query.filter.TagVFilter;
import net.opentsdb.utils.Config;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * OpenTSDB's queries of points that lie in twenty files, each of an hour or of a day: each answer
 * is that of a table with HBase's filters. Data blocks are counted, of which each file has one, and
 * {@code advise} finds the setting by the scans that the server counted.
 */
@Tag("clients")
class OpenTsdbIT {
  private static final String UIDS = "tsdb-uid";
  private static final int FILES = 20;
  private static final int METRICS = 6;
  private static final int HOSTS = 4;
  private static final int HOUR = 3600;

  /**
   * The last hour that has points: two hours from there on have no prefix of 5 bytes in common, as
   * the fourth byte from the right becomes another one.
   */
  private static final long LAST = (26_000L << 16) / HOUR * HOUR;

  /** What {@code advise} proposes where each file has an hour or a day. */
  private static final String ADVISED = "winnow.scan.segment = 3,4";

  private static final Map<String, String> SEGMENT = Map.of("winnow.scan.segment", "3,4");
  private static final Map<String, String> PREFIX =
      Map.of("winnow.filter", "bumped-ribbon", "winnow.scan.prefix", "5");
  private static final Map<String, String> BOTH = both("3,4", "5");

  private static Map<String, String> both(String segment, String prefix) {
    return Map.of(
        "winnow.filter",
        "bumped-ribbon",
        "winnow.scan.prefix",
        prefix,
        "winnow.scan.segment",
        segment);
  }

  /** Options of OpenTSDB that the tests set. */
  private static final Map<String, String> PLAIN =
      Map.of(
          "tsd.storage.enable_compaction", "false",
          "tsd.storage.enable_appends", "false",
          "tsd.storage.use_otsdb_timestamp", "false",
          "tsd.storage.salt.width", "0");

  private static Map<String, String> with(String... options) {
    Map<String, String> all = new TreeMap<>(PLAIN);
    for (int i = 0; i < options.length; i += 2) {
      all.put(options[i], options[i + 1]);
    }
    return all;
  }

  private static PhoenixHBase hbase;
  private final Map<TableName, TSDB> writers = new HashMap<>();
  private Map<String, String> options;

  @BeforeAll
  static void start() throws Exception {
    hbase = PhoenixHBase.shared();
  }

  private TableName create(String name, String family, Map<String, String> settings)
      throws IOException {
    TableName table = TableName.valueOf(name);
    ColumnFamilyDescriptorBuilder columns =
        ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family)).setBlocksize(1_000_000);
    settings.forEach(columns::setConfiguration);
    TableDescriptorBuilder descriptor =
        TableDescriptorBuilder.newBuilder(table).setColumnFamily(columns.build());
    if (name.equals(UIDS)) {
      descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder.of("name"));
    }
    hbase.admin().createTable(descriptor.build());
    return table;
  }

  private TSDB open(TableName table) throws IOException {
    Config config = new Config(false);
    String port = hbase.admin().getConfiguration().get("hbase.zookeeper.property.clientPort");
    config.overrideConfig("tsd.storage.hbase.zk_quorum", "127.0.0.1:" + port);
    config.overrideConfig("tsd.storage.hbase.data_table", table.getNameAsString());
    config.overrideConfig("tsd.storage.hbase.uid_table", UIDS);
    config.overrideConfig("tsd.core.auto_create_metrics", "true");
    config.overrideConfig("tsd.storage.flush_interval", "50");
    options.forEach(config::overrideConfig);
    return new TSDB(config);
  }

  private static Map<String, String> tags(int host) {
    return Map.of("host", "h" + host, "dc", "d" + host % 2);
  }

  /** Writes the points of some hours, as OpenTSDB does, and makes a file of them. */
  private void write(TableName table, long from, int hours, int points) throws Exception {
    TSDB tsdb = open(table);
    List<Deferred<Object>> written = new ArrayList<>();
    for (long hour = from; hour < from + hours * HOUR; hour += HOUR) {
      for (int metric = 0; metric < METRICS; metric++) {
        for (int host = 0; host < HOSTS; host++) {
          for (int point = 0; point < points; point++) {
            long time = hour + point * HOUR / points + host;
            written.add(tsdb.addPoint("m" + metric, time, time % 997 + metric * 1000L, tags(host)));
          }
        }
      }
    }
    Deferred<Object> flushed = tsdb.flush();
    Deferred.group(written).join();
    flushed.join();
    tsdb.shutdown().join(); // it also compacts rows, if it is to
    hbase.flush(table.getNameAsString());
  }

  /** Returns the points that a query finds, of a metric, of hosts if it is to, in a time. */
  private static List<String> points(
      TSDB tsdb, int metric, long from, long to, Map<String, String> tags, boolean explicit)
      throws Exception {
    TSSubQuery part = new TSSubQuery();
    part.setMetric("m" + metric);
    part.setAggregator("sum");
    List<TagVFilter> filters = new ArrayList<>();
    TagVFilter.tagsToFilters(new HashMap<>(tags), filters);
    part.setFilters(filters);
    part.setExplicitTags(explicit);
    TSQuery query = new TSQuery();
    query.setStart(Long.toString(from));
    query.setEnd(Long.toString(to));
    query.setQueries(new ArrayList<>(List.of(part)));
    query.validateAndSetQuery();
    List<String> found = new ArrayList<>();
    for (Query one : query.buildQueries(tsdb)) {
      for (DataPoints series : one.run()) {
        StringBuilder text = new StringBuilder(new TreeMap<>(series.getTags()).toString());
        SeekableView view = series.iterator();
        while (view.hasNext()) {
          DataPoint point = view.next();
          text.append(' ').append(point.timestamp()).append('=').append(point.toDouble());
        }
        found.add(text.toString());
      }
    }
    Collections.sort(found);
    return found;
  }

  private TwoTables.Read compare(TwoTables tables, String what, int times, PointQuery query)
      throws Exception {
    return tables.compare(what, times, (table, run) -> query.points(writers.get(table), run));
  }

  /** A query of OpenTSDB. */
  @FunctionalInterface
  private interface PointQuery {
    List<String> points(TSDB tsdb, int run) throws Exception;
  }

  /** Counts of the three queries of an hour. */
  private record Hours(TwoTables.Read old, TwoTables.Read last, TwoTables.Read fuzzy) {}

  /**
   * Fills two tables and compares queries of them.
   *
   * @param hours hours of a file
   * @param advised the settings that {@code advise} proposes after the queries
   */
  private Hours queries(
      String name, Map<String, String> settings, int hours, int cellsOfRow, String advised)
      throws Exception {
    if (!hbase.admin().tableExists(TableName.valueOf(UIDS))) {
      create(UIDS, "id", Map.of());
    }
    TableName stock = create("tsdb" + name + "B", "t", Map.of());
    TableName winnow = create("tsdb" + name + "W", "t", settings);
    long first = LAST - (FILES * hours - 1L) * HOUR;
    int points = hours == 1 ? 6 : 1;
    for (TableName table : List.of(stock, winnow)) {
      for (int file = 0; file < FILES; file++) {
        write(table, first + (long) file * hours * HOUR, hours, points);
      }
      assertEquals(FILES, hbase.files(table.getNameAsString(), "t"));
      writers.put(table, open(table));
      points(writers.get(table), 0, LAST, LAST + HOUR - 1, Map.of("host", "*", "dc", "*"), false);
    }
    assertEquals(cellsOfRow, fewestCells(winnow));
    try {
      Hours read = queries(new TwoTables(hbase, "OpenTSDB " + name, stock, winnow), first, hours);
      assertEquals(advised, hbase.settingsForScans(stock.getNameAsString()));
      return read;
    } finally {
      for (TSDB tsdb : writers.values()) {
        tsdb.shutdown().join();
      }
    }
  }

  /** Returns the fewest cells of a row: OpenTSDB leaves out some rows when it compacts them. */
  private int fewestCells(TableName name) throws IOException {
    try (Table table = hbase.admin().getConnection().getTable(name);
        ResultScanner rows = table.getScanner(new Scan())) {
      return StreamSupport.stream(rows.spliterator(), false)
          .mapToInt(Result::size)
          .min()
          .orElseThrow();
    }
  }

  private Hours queries(TwoTables tables, long first, int hours) throws Exception {
    int end = HOUR - 1;
    int all = FILES * hours;
    Map<String, String> any = Map.of();
    TwoTables.Read old =
        compare(
            tables,
            "an old hour",
            FILES,
            (tsdb, run) -> {
              long from = first + run * 7L % (FILES - 3) * hours * HOUR + run % hours * HOUR;
              return points(tsdb, run % METRICS, from, from + end, any, false);
            });
    assertEquals(FILES, old.rows());
    TwoTables.Read last =
        compare(
            tables,
            "the last hour",
            FILES,
            (tsdb, run) -> points(tsdb, run % METRICS, LAST, LAST + end, any, false));
    assertEquals(FILES, last.rows());
    TwoTables.Read fuzzy =
        compare(
            tables,
            "explicit tags",
            FILES,
            (tsdb, run) -> {
              long from = first + run * 7L % (FILES - 3) * hours * HOUR;
              return points(tsdb, run % METRICS, from, from + end, tags(run % HOSTS), true);
            });
    assertEquals(FILES, fuzzy.rows());
    compare(
        tables,
        "hosts",
        METRICS,
        (tsdb, run) -> points(tsdb, run, LAST - 5 * HOUR, LAST, Map.of("host", "h1|h2"), false));
    compare(
        tables,
        "each host, a day",
        METRICS,
        (tsdb, run) ->
            points(tsdb, run, LAST - 23L * HOUR, LAST + end, Map.of("host", "*"), false));
    compare(
        tables,
        "all",
        METRICS,
        (tsdb, run) -> points(tsdb, run, first, first + (long) all * HOUR, any, false));
    compare(
        tables,
        "before and behind all",
        2,
        (tsdb, run) ->
            points(
                tsdb,
                run,
                run == 0 ? first - 9 * HOUR : LAST + 5 * HOUR,
                run == 0 ? first - 5 * HOUR : LAST + 9 * HOUR,
                any,
                false));
    return new Hours(old, last, fuzzy);
  }

  /** Checks that HBase's filters let most files through, and segments those that have the time. */
  private static void check(Hours hours, int buckets) {
    assertTrue(hours.old.stock().blocks() >= buckets * 14, hours::toString);
    assertTrue(hours.last.stock().blocks() >= buckets * 14, hours::toString);
    assertTrue(hours.fuzzy.stock().blocks() >= buckets * 14, hours::toString);
    assertTrue(hours.old.winnow().blocks() <= buckets * 3, hours::toString);
    assertTrue(hours.last.winnow().blocks() <= buckets * 1.5, hours::toString);
    assertTrue(hours.fuzzy.winnow().blocks() <= buckets * 4.5, hours::toString);
  }

  @Test
  void plain() throws Exception {
    options = PLAIN;
    check(queries("plain", SEGMENT, 1, 6, ADVISED), 1);
  }

  @Test
  void appended() throws Exception {
    options = with("tsd.storage.enable_appends", "true");
    check(queries("append", BOTH, 1, 1, ADVISED), 1);
  }

  @Test
  void compacted() throws Exception {
    options = with("tsd.storage.enable_compaction", "true");
    check(queries("compacted", SEGMENT, 1, 1, ADVISED), 1);
  }

  @Test
  void salted() throws Exception {
    options = with("tsd.storage.salt.width", "1", "tsd.storage.salt.buckets", "4");
    check(queries("salted", both("4,4", "6"), 1, 6, "winnow.scan.segment = 4,4"), 4);
  }

  @Test
  void timesOfPoints() throws Exception {
    options = with("tsd.storage.use_otsdb_timestamp", "true");
    Hours hours = queries("times", BOTH, 1, 6, ADVISED);
    assertTrue(hours.old.stock().blocks() <= 3, hours::toString);
    assertTrue(hours.old.winnow().blocks() <= hours.old.stock().blocks(), hours::toString);
  }

  @Test
  void filesOfADayWithAPrefix() throws Exception {
    options = PLAIN;
    Hours hours = queries("day", PREFIX, 24, 1, ADVISED);
    assertTrue(hours.old.stock().blocks() >= 14, hours::toString);
    assertTrue(hours.old.winnow().blocks() <= 5, hours::toString);
  }
}

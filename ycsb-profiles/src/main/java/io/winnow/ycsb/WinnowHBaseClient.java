package io.winnow.ycsb;

import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * A client of HBase 2 for YCSB: {@code site.ycsb.Client -db io.winnow.ycsb.WinnowHBaseClient}.
 *
 * <p>Properties, given with {@code -p} or in a file with {@code -P}:
 *
 * <ul>
 *   <li>{@code hbase.zookeeper.quorum}, {@code hbase.zookeeper.property.clientPort}, and any other
 *       property whose name begins with {@code hbase.} or {@code zookeeper.}: settings as in an
 *       {@code hbase-site.xml}; they override a file of this name on the class path
 * </ul>
 *
 * <p>All columns are in the family {@code f}. The table is the workload's ({@code table}, {@code
 * usertable} by default) and must exist, unless {@code winnow.filter} is set ({@code bloom}, {@code
 * ribbon}, {@code bumped-ribbon}): then a missing table is made, with one region and a family with
 * this filter of rows. Row keys and column names are strings of Latin-1 characters, one byte each.
 *
 * <p>Each thread of a client has an instance of its own; all share the connection of the first one.
 * An absent row is {@link Status#NOT_FOUND}; a request that fails is logged and is {@link
 * Status#ERROR}.
 */
public final class WinnowHBaseClient extends DB implements BatchReads {

  /** Name of the client's property with the kind of filter of the tables that the client makes. */
  public static final String FILTER = Setting.FILTER.key;

  /**
   * Name of the client's property that ends a scan at the last row that has a number of bytes in
   * common with the scan's first row; 0, the default, for no such end.
   */
  public static final String SCANNED_PREFIX = "winnow.scanned.prefix";

  private static final String TABLE = "table";
  private static final String DEFAULT_TABLE = "usertable";
  private static final List<String> PASSED_ON = List.of("hbase.", "zookeeper.");

  private static final Logger LOG = LoggerFactory.getLogger(WinnowHBaseClient.class);

  /**
   * The HBase client of each thread of YCSB. YCSB wraps a DB in one of its own, which hides batch
   * reads.
   */
  private static final ThreadLocal<WinnowHBaseClient> OF_THREAD = new ThreadLocal<>();

  /** A request to HBase, with its status for YCSB. */
  private interface Request {
    Status run() throws IOException;
  }

  /** The connection that all clients share, which the last one closes. */
  private static Connection connection;

  private static int clients;

  private int scannedPrefix;
  private String tableName = "";
  private Table table;

  /**
   * Makes a client of HBase that is not connected yet. YCSB calls this for each thread, by the name
   * of the class.
   */
  public WinnowHBaseClient() {}

  /**
   * Returns the HBase client that the current thread initialized last and has not cleaned up; or
   * {@code null}.
   */
  static BatchReads ofThread() {
    return OF_THREAD.get();
  }

  @Override
  public void init() throws DBException {
    Properties properties = getProperties();
    scannedPrefix = Integer.parseInt(properties.getProperty(SCANNED_PREFIX, "0"));
    Map<String, String> settings = new HashMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (PASSED_ON.stream().anyMatch(name::startsWith)) {
        settings.put(name, properties.getProperty(name));
      }
    }
    try {
      connect(settings);
    } catch (IOException e) {
      throw new DBException("cannot connect to HBase with " + settings, e);
    }
    OF_THREAD.set(this);
    String filter = properties.getProperty(FILTER);
    if (filter != null) {
      String name = properties.getProperty(TABLE, DEFAULT_TABLE);
      try {
        makeTable(TableName.valueOf(name), filter);
      } catch (IOException e) {
        throw new DBException("the table " + name + " cannot be made", e);
      }
    }
  }

  private static synchronized void connect(Map<String, String> settings) throws IOException {
    if (connection == null) {
      Configuration configuration = HBaseConfiguration.create();
      settings.forEach(configuration::set);
      connection = ConnectionFactory.createConnection(configuration);
    }
    clients++;
  }

  private static synchronized void disconnect() throws IOException {
    if (--clients == 0) {
      connection.close();
      connection = null;
    }
  }

  private void makeTable(TableName name, String filter) throws IOException {
    ColumnFamilyDescriptor descriptor =
        ColumnFamilyDescriptorBuilder.newBuilder(RunTables.FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setConfiguration(FILTER, filter)
            .build();
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        admin.createTable(
            TableDescriptorBuilder.newBuilder(name).setColumnFamily(descriptor).build());
      }
    } catch (TableExistsException e) {
      LOG.debug("Another thread made the table", e);
    }
  }

  @Override
  public void cleanup() throws DBException {
    OF_THREAD.remove();
    try {
      try {
        if (table != null) {
          table.close();
        }
      } finally {
        disconnect();
      }
    } catch (IOException e) {
      throw new DBException("cannot close the table " + tableName, e);
    }
  }

  @Override
  public Status read(
      String tableName, String key, Set<String> fields, Map<String, ByteIterator> result) {
    return request(
        "read",
        () -> {
          Result row = table(tableName).get(get(key, fields));
          result.putAll(columns(row));
          return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
  }

  @Override
  public Status batchRead(
      String tableName,
      List<String> keys,
      Set<String> fields,
      List<Map<String, ByteIterator>> rows) {
    List<Get> gets = keys.stream().map(key -> get(key, fields)).toList();
    return request(
        "batch read",
        () -> {
          for (Result row : table(tableName).get(gets)) {
            rows.add(columns(row));
          }
          return Status.OK;
        });
  }

  @Override
  public Status scan(
      String tableName,
      String startKey,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    byte[] start = latin1(startKey);
    Scan scan = new Scan();
    if (scannedPrefix > 0 && start.length >= scannedPrefix) {
      scan.setStartStopRowForPrefixScan(Arrays.copyOf(start, scannedPrefix));
    }
    scan.withStartRow(start).setLimit(count).setCaching(count);
    if (fields == null) {
      scan.addFamily(RunTables.FAMILY);
    } else {
      fields.forEach(field -> scan.addColumn(RunTables.FAMILY, latin1(field)));
    }
    return request(
        "scan",
        () -> {
          try (ResultScanner rows = table(tableName).getScanner(scan)) {
            for (Result row : rows) {
              result.add(columns(row));
            }
          }
          return Status.OK;
        });
  }

  @Override
  public Status update(String tableName, String key, Map<String, ByteIterator> values) {
    Put put = new Put(latin1(key));
    values.forEach((name, value) -> put.addColumn(RunTables.FAMILY, latin1(name), value.toArray()));
    return request(
        "update",
        () -> {
          table(tableName).put(put);
          return Status.OK;
        });
  }

  @Override
  public Status insert(String tableName, String key, Map<String, ByteIterator> values) {
    return update(tableName, key, values);
  }

  @Override
  public Status delete(String tableName, String key) {
    return request(
        "delete",
        () -> {
          table(tableName).delete(new Delete(latin1(key)).addFamily(RunTables.FAMILY));
          return Status.OK;
        });
  }

  private Get get(String key, Set<String> fields) {
    Get get = new Get(latin1(key));
    if (fields == null) {
      get.addFamily(RunTables.FAMILY);
    } else {
      fields.forEach(field -> get.addColumn(RunTables.FAMILY, latin1(field)));
    }
    return get;
  }

  private static HashMap<String, ByteIterator> columns(Result row) {
    HashMap<String, ByteIterator> columns = new HashMap<>();
    if (row.isEmpty()) {
      return columns;
    }
    for (Cell cell : row.rawCells()) {
      columns.put(
          new String(
              cell.getQualifierArray(),
              cell.getQualifierOffset(),
              cell.getQualifierLength(),
              StandardCharsets.ISO_8859_1),
          new ByteArrayByteIterator(CellUtil.cloneValue(cell)));
    }
    return columns;
  }

  /**
   * Returns HBase's table with a name, which is kept for the next call, because a workload usually
   * has one table.
   */
  private Table table(String name) throws IOException {
    if (!name.equals(tableName)) {
      if (table != null) {
        table.close();
      }
      table = connection.getTable(TableName.valueOf(name));
      tableName = name;
    }
    return table;
  }

  /** Runs a request to HBase. Returns an error if it fails. */
  private static Status request(String what, Request request) {
    try {
      return request.run();
    } catch (IOException e) {
      LOG.error("A {} failed", what, e);
      return Status.ERROR;
    }
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}

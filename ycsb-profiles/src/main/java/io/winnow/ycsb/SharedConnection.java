package io.winnow.ycsb;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * An HBase connection that all users in this JVM with the same settings share; the last one closes
 * it.
 */
final class SharedConnection implements AutoCloseable {
  private static final Map<Map<String, String>, SharedConnection> OPEN = new HashMap<>();

  final Connection connection;
  private int users;

  private SharedConnection(Connection connection) {
    this.connection = connection;
  }

  /** Returns the shared HBase connection for one more user, who must call {@link #close()} once. */
  static SharedConnection open(Map<String, String> settings) throws IOException {
    synchronized (OPEN) {
      SharedConnection shared = OPEN.get(settings);
      if (shared == null) {
        Configuration configuration = HBaseConfiguration.create();
        settings.forEach(configuration::set);
        shared = new SharedConnection(ConnectionFactory.createConnection(configuration));
        OPEN.put(Map.copyOf(settings), shared);
      }
      shared.users++;
      return shared;
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (OPEN) {
      if (--users == 0) {
        OPEN.values().remove(this);
        connection.close();
      }
    }
  }
}

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

  private final Map<String, String> settings;
  private final Connection connection;
  private int users;

  private SharedConnection(Map<String, String> settings, Connection connection) {
    this.settings = settings;
    this.connection = connection;
  }

  /** Returns the shared HBase connection for one more user, who must call {@link #close()} once. */
  static SharedConnection open(Map<String, String> settings) throws IOException {
    synchronized (OPEN) {
      SharedConnection shared = OPEN.get(settings);
      if (shared == null) {
        Configuration configuration = HBaseConfiguration.create();
        settings.forEach(configuration::set);
        shared =
            new SharedConnection(
                Map.copyOf(settings), ConnectionFactory.createConnection(configuration));
        OPEN.put(shared.settings, shared);
      }
      shared.users++;
      return shared;
    }
  }

  Connection connection() {
    return connection;
  }

  @Override
  public void close() throws IOException {
    synchronized (OPEN) {
      if (--users == 0) {
        OPEN.remove(settings);
        connection.close();
      }
    }
  }
}

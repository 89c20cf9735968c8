package io.winnow.hbase.standalone;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * The start of HBase's servers on 127.0.0.1: their common settings, and the wait until they serve.
 */
public final class StartUp {
  static final long SECONDS = 900;

  private static final long REPORT_SECONDS = 3;

  /** Settings of a client that does not wait for a server that is not up. */
  private static final Map<String, Integer> IMPATIENT =
      Map.of(
          "hbase.client.retries.number", 1,
          "hbase.client.operation.timeout", 5_000,
          "hbase.rpc.timeout", 5_000,
          "zookeeper.recovery.retry", 0,
          "ipc.client.connect.max.retries", 0);

  /** A condition that servers meet sooner or later, such as that they are up. */
  public interface Check {
    /** Returns whether the condition is met; an {@link IOException} counts as no. */
    boolean isMet() throws IOException;
  }

  /** A check of servers that start. */
  interface Requirement {
    /**
     * Checks that servers still start.
     *
     * @throws IOException with a message for the user, if one of them ended
     */
    void check() throws IOException;
  }

  private StartUp() {}

  /** Returns the settings that all servers of an HBase have, and their clients. */
  static Configuration site(Path directory, int zooKeeperPort) {
    Configuration site = new Configuration(false);
    site.set("hbase.tmp.dir", directory.resolve("tmp").toString());
    site.set("hbase.zookeeper.quorum", Loopback.ADDRESS);
    site.set("hbase.zookeeper.property.clientPort", Integer.toString(zooKeeperPort));
    site.set("hbase.zookeeper.property.clientPortAddress", Loopback.ADDRESS);
    site.set("hbase.zookeeper.property.dataDir", directory.resolve("zookeeper").toString());
    site.set("hbase.master.hostname", Loopback.ADDRESS);
    site.set("hbase.unsafe.regionserver.hostname", Loopback.ADDRESS);
    for (String server : List.of("master", "regionserver")) {
      site.set("hbase." + server + ".info.port", "-1");
      site.set("hbase." + server + ".ipc.address", Loopback.ADDRESS);
    }
    return site;
  }

  /** Makes a client's configuration one of a client that does not wait. */
  static Configuration impatient(Configuration client) {
    IMPATIENT.forEach(client::setInt);
    return client;
  }

  /**
   * Waits until servers meet a condition, at most as long as for their start.
   *
   * @param what the condition, in words
   */
  public static void await(String what, Check check) throws IOException, InterruptedException {
    await(what, message -> {}, () -> {}, check, () -> "");
  }

  /**
   * Waits until servers are up.
   *
   * @param what their start, in words
   * @param running checks that they still start
   * @param tail returns the ends of their logs, for the message about their failure
   */
  static void await(
      String what,
      Consumer<String> progress,
      Requirement running,
      Check check,
      Supplier<String> tail)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    long nextReport = 0;
    while (true) {
      running.check();
      IOException reason = null;
      try {
        if (check.isMet()) {
          return;
        }
      } catch (IOException e) {
        reason = e; // not up yet
      }
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      if (seconds >= SECONDS) {
        throw new IOException(what + " takes more than " + SECONDS + " s\n" + tail.get(), reason);
      }
      if (seconds >= nextReport) {
        progress.accept("waiting for " + what + ", " + seconds + " s");
        nextReport = seconds + REPORT_SECONDS;
      }
      TimeUnit.MILLISECONDS.sleep(250);
    }
  }

  /** Waits until a process has ended. Returns whether it has, within the given time. */
  static boolean ended(ProcessHandle server, long seconds) {
    try {
      server.onExit().get(seconds, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  static boolean servesAllTables(Admin admin) throws IOException {
    admin.getNamespaceDescriptor("default");
    for (TableDescriptor table : admin.listTableDescriptors()) {
      if (admin.isTableEnabled(table.getTableName())
          && !admin.isTableAvailable(table.getTableName())) {
        return false;
      }
    }
    return true;
  }
}

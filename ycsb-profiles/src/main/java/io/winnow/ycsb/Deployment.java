package io.winnow.ycsb;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;

/**
 * The HBase whose tables a run measures: a standalone one of the run, or the cluster on this
 * machine.
 */
interface Deployment extends Closeable {

  /** Maximum number of times that the servers' counters are read until two readings agree. */
  int MAX_READINGS = 20;

  /** Returns a connection to the HBase servers that run now. A restart replaces it. */
  Connection connection();

  /** Returns a directory for this run's files in the file system where HBase has its root. */
  Path staging();

  /** Returns the management beans of the region servers that run now. */
  List<ServerBeans> servers();

  /** Restarts the region servers, each with a block cache of the given sizes. */
  void restart(ServerCache cache) throws IOException, InterruptedException;

  /** Returns whether the HBase servers run on after the run, so that its tables must be dropped. */
  boolean outlivesRun();

  /**
   * Returns the directory of HBase's files, if they are on this machine and no other HBase has
   * files there.
   */
  default Optional<java.nio.file.Path> localFiles() {
    return Optional.empty();
  }

  /**
   * Returns the bytes that the servers have read from the drive so far; -1 if the number is
   * unknown.
   */
  default long bytesFromDrive() throws IOException {
    return -1;
  }

  /** Waits until the servers' counters include all that has happened so far. */
  void awaitCounters() throws InterruptedException;

  /** Returns the sum of the region servers' counters, after waiting until they are up to date. */
  default ServerCounters counters() throws IOException, InterruptedException {
    awaitCounters();
    ServerCounters sum = null;
    for (ServerBeans server : servers()) {
      ServerCounters counters = server.counters();
      sum = sum == null ? counters : sum.plus(counters);
    }
    if (sum == null) {
      throw new IOException("there is no region server");
    }
    return sum;
  }

  /**
   * A reading of the region servers' counters.
   *
   * @param settled whether two successive readings agreed
   */
  record Reading(ServerCounters counters, boolean settled) {}

  /**
   * Returns the region servers' counters when two successive readings agree, because busy servers
   * gather their counters late. Nothing may query the servers meanwhile. If two readings never
   * agree, others use these servers too, and the counters of this run cannot be separated.
   */
  default Reading settledCounters() throws IOException, InterruptedException {
    ServerCounters last = counters();
    for (int reading = 0; reading < MAX_READINGS; reading++) {
      ServerCounters next = counters();
      if (next.agreesWith(last)) {
        return new Reading(next, true);
      }
      last = next;
    }
    return new Reading(last, false);
  }
}

package io.winnow.ycsb;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;

/** The HBase that is measured: our own, the cluster on this machine, or the user's. */
interface Deployment extends Closeable {

  /** How often counters are read at most until two readings agree. */
  int MOST_READINGS = 20;

  /** To the servers as they run now; another one after a restart. */
  Connection connection();

  /** A directory of ours in the file system of HBase's root. */
  Path staging();

  /** The region servers as they run now. */
  List<ServerBeans> servers();

  /** Restarts the region servers with this block cache each. */
  void restart(ServerCache cache) throws IOException, InterruptedException;

  /** Whether it goes on when the run is over, so that our tables must be dropped. */
  boolean outlivesRun();

  /** The directory of its files, if they are on this machine and all its own. */
  default Optional<java.nio.file.Path> localFiles() {
    return Optional.empty();
  }

  /** Bytes that the servers read from the drive, till now; -1 where nobody tells. */
  default long bytesFromDrive() throws IOException {
    return -1;
  }

  /** Waits till the servers' counters tell all that has happened till now. */
  void awaitCounters() throws InterruptedException;

  /** The sum of the region servers' counters, when they have caught up. */
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
   * Counters that were read.
   *
   * @param settled whether two readings in a row agreed
   */
  record Reading(ServerCounters counters, boolean settled) {}

  /**
   * The same, when two readings agree: servers that have no processor to themselves gather their
   * counters late. Nothing may be asked of them meanwhile. Where two readings never agree, others
   * use these servers too, and nothing that they counted is told apart.
   */
  default Reading settledCounters() throws IOException, InterruptedException {
    ServerCounters last = counters();
    for (int reading = 0; reading < MOST_READINGS; reading++) {
      ServerCounters next = counters();
      if (next.agreesWith(last)) {
        return new Reading(next, true);
      }
      last = next;
    }
    return new Reading(last, false);
  }
}

package io.winnow.hbase.standalone;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.master.HMasterCommandLine;
import org.apache.hadoop.util.ToolRunner;

/**
 * The main class of the JVM that runs a standalone HBase. It locks the directory and runs HBase's
 * own {@code HMaster start}. When its standard input ends, it shuts HBase down in an orderly way:
 * the process that started it has closed the input or is gone.
 */
final class StandaloneServer {

  /** Exit code of a server that did not start because another server works on its directory. */
  static final int DIRECTORY_IN_USE = 75;

  /**
   * Maximum time of an orderly shutdown of HBase in seconds: it takes 13 s, and many times as long
   * on a busy machine. The log of a server that is cut off may lack its last rows.
   */
  static final long SHUTDOWN_SECONDS = 300;

  private StandaloneServer() {}

  public static void main(String[] args) throws Exception {
    Path lockFile = Path.of(args[0], ".lock");
    try (FileChannel channel =
            FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = lock(channel)) {
      if (lock == null) {
        Runtime.getRuntime().halt(DIRECTORY_IN_USE);
      }
      Thread watcher = new Thread(StandaloneServer::stopAtEndOfInput, "winnow-stop");
      watcher.setDaemon(true);
      watcher.start();
      int code =
          ToolRunner.run(
              HBaseConfiguration.create(),
              new HMasterCommandLine(HMaster.class),
              new String[] {"start"});
      // All regions are closed and the log is rolled up: threads that still run may be ended.
      Runtime.getRuntime().halt(code);
    }
  }

  private static FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private static void stopAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Typed input does not stop the server.
      }
    } catch (IOException e) {
      // Counts as the end of the input.
    }
    Thread killer =
        new Thread(
            () -> {
              try {
                TimeUnit.SECONDS.sleep(SHUTDOWN_SECONDS);
              } catch (InterruptedException e) {
                // Nobody interrupts it; if so, stop at once.
              }
              Runtime.getRuntime().halt(1);
            },
            "winnow-stop-bound");
    killer.setDaemon(true);
    killer.start();
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        Admin admin = connection.getAdmin()) {
      admin.shutdown();
    } catch (IOException e) {
      // Nobody asks once more: there is nothing to wait for.
      System.err.println("HBase does not shut down in order: " + e);
      Runtime.getRuntime().halt(1);
    }
  }
}

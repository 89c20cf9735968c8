package io.winnow.hbase.it;

import io.winnow.flash.drive.FileAccess;
import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;

/** Connections whose calls fail. */
final class DedupFaults {
  private DedupFaults() {}

  /** A connection whose threads are interrupted, as long as this says so, before each call. */
  static Connection interrupting(Connection connection, AtomicBoolean interrupts) {
    return beforeCalls(
        connection,
        () -> {
          if (interrupts.get()) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** A connection whose calls fail, as long as this says so, before anything is sent. */
  static Connection failing(Connection connection, AtomicBoolean fails) {
    return beforeCalls(
        connection,
        () -> {
          if (fails.get()) {
            throw new IOException("no server answers");
          }
        });
  }

  private static Connection beforeCalls(Connection connection, Closeable step) {
    return DedupWriter.wrap(
        Connection.class,
        connection,
        (method, call) ->
            method.equals("getTable") ? beforeCalls((Table) call.make(), step) : call.make());
  }

  private static Table beforeCalls(Table table, Closeable step) {
    return DedupWriter.wrap(
        Table.class,
        table,
        (method, call) -> {
          if (method.equals("batch")) {
            step.close();
          }
          return call.make();
        });
  }

  /** The call is made, and the answer is lost: as when a server dies before it has answered. */
  static Connection forgetful(Connection connection, AtomicBoolean forgets) {
    return DedupWriter.wrap(
        Connection.class,
        connection,
        (method, call) ->
            method.equals("getTable")
                ? DedupWriter.wrapArguments(
                    Table.class,
                    (Table) call.make(),
                    (name, inner, arguments) -> {
                      Object result = inner.make();
                      if (name.equals("batch") && forgets.get()) {
                        Arrays.fill((Object[]) arguments[1], null);
                        throw new IOException("the answer is lost");
                      }
                      return result;
                    })
                : call.make());
  }

  /** A drive that is gone from some moment on. */
  static final class Drive implements FileAccess {
    private final Queue<FileChannel> opened = new ConcurrentLinkedQueue<>();
    private volatile boolean gone;

    @Override
    public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
      if (gone) {
        throw new IOException("the drive is gone");
      }
      FileChannel channel = SYSTEM.open(file, options);
      opened.add(channel);
      return channel;
    }

    @Override
    public void force(Path file, FileDescriptor open) throws IOException {
      if (gone) {
        throw new IOException("the drive is gone");
      }
      SYSTEM.force(file, open);
    }

    void fail() throws IOException {
      gone = true;
      for (FileChannel channel : opened) {
        channel.close();
      }
    }
  }
}

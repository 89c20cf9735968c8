package io.winnow.hbase.it;

import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.dedup.UnfinishedWriteException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/** Writes all batches of {@link DedupEvents} that are not acknowledged, in some threads. */
final class DedupWriter {
  private static final int THREADS = 3;
  private static final int PATIENCE = 500;

  /** What a process does at its first, second, ... call of HBase, if it is to be a short one. */
  enum End {
    /** It goes on. */
    NONE,
    /** It is no more when the call would be made. */
    BEFORE_THE_CALL,
    /** It is no more when the call was made, and nobody knows its answer. */
    AFTER_THE_CALL
  }

  private DedupWriter() {}

  /** How a process of this is started. */
  static ProcessBuilder start(
      int zooKeeperPort, TableName table, Path directory, Path notes, int batches, End end) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                DedupWriter.class.getName(),
                Integer.toString(zooKeeperPort),
                table.getNameAsString(),
                directory.toString(),
                notes.toString(),
                Integer.toString(batches),
                end.name()));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
  }

  public static void main(String[] arguments) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", "127.0.0.1");
    conf.set("hbase.zookeeper.property.clientPort", arguments[0]);
    TableName table = TableName.valueOf(arguments[1]);
    DedupEvents.Notes notes =
        DedupEvents.Notes.in(Path.of(arguments[3]), Integer.parseInt(arguments[4]));
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Deduplicator deduplicator =
            Deduplicator.open(
                ending(connection, End.valueOf(arguments[5])),
                Path.of(arguments[2]),
                DedupEvents.options(table))) {
      System.out.println("open");
      writeAll(deduplicator, notes);
      System.out.println("done");
    }
  }

  /** A connection whose tables end this process. */
  private static Connection ending(Connection connection, End end) {
    if (end == End.NONE) {
      return connection;
    }
    return wrap(
        Connection.class,
        connection,
        (method, call) -> {
          Object table = call.make();
          return method.equals("getTable")
              ? wrap(Table.class, (Table) table, (name, inner) -> ended(name, inner, end))
              : table;
        });
  }

  private static Object ended(String method, Call call, End end) throws Throwable {
    if (!method.equals("batch")) {
      return call.make();
    }
    if (end == End.AFTER_THE_CALL) {
      call.make();
    }
    Runtime.getRuntime().halt(1);
    return null;
  }

  /** A call that may be made. */
  @FunctionalInterface
  interface Call {
    Object make() throws Throwable;
  }

  /** What is done in its place. */
  @FunctionalInterface
  interface Instead {
    Object of(String method, Call call) throws Throwable;
  }

  /** The same, told of the arguments too. */
  @FunctionalInterface
  interface InsteadWith {
    Object of(String method, Call call, Object... arguments) throws Throwable;
  }

  static <T> T wrap(Class<T> type, T real, Instead instead) {
    return wrapArguments(type, real, (method, call, arguments) -> instead.of(method, call));
  }

  static <T> T wrapArguments(Class<T> type, T real, InsteadWith instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                instead.of(
                    method.getName(),
                    () -> {
                      try {
                        return method.invoke(real, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    },
                    arguments)));
  }

  /** Writes until all batches are acknowledged; returns how many rows were stored. */
  static int writeAll(Deduplicator deduplicator, DedupEvents.Notes notes)
      throws InterruptedException, ExecutionException {
    return writeAll(deduplicator, notes, () -> false);
  }

  /** The same, or less: no batch is begun once it is stopped. */
  static int writeAll(Deduplicator deduplicator, DedupEvents.Notes notes, BooleanSupplier stopped)
      throws InterruptedException, ExecutionException {
    AtomicInteger next = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        running.add(pool.submit(() -> writeNext(deduplicator, notes, next, stopped)));
      }
      int stored = 0;
      for (Future<Integer> thread : running) {
        stored += thread.get();
      }
      return stored;
    } finally {
      pool.shutdownNow();
    }
  }

  private static int writeNext(
      Deduplicator deduplicator,
      DedupEvents.Notes notes,
      AtomicInteger next,
      BooleanSupplier stopped)
      throws IOException {
    int stored = 0;
    for (int batch = next.getAndIncrement();
        batch < notes.batches() && !stopped.getAsBoolean();
        batch = next.getAndIncrement()) {
      if (!notes.isAcknowledged(batch)) {
        notes.begun(batch);
        stored += write(deduplicator, DedupEvents.batch(batch));
        notes.acknowledged(batch);
      }
    }
    return stored;
  }

  /** As often as it takes. */
  private static int write(Deduplicator deduplicator, List<Put> puts) throws IOException {
    int stored = 0;
    List<Put> rest = puts;
    for (int attempt = 1; ; attempt++) {
      try {
        return stored + deduplicator.write(rest).storedCount();
      } catch (UnfinishedWriteException e) {
        if (attempt == PATIENCE || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        stored += e.written().storedCount();
        rest = e.unfinished();
      }
    }
  }
}

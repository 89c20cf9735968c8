package io.winnow.hbase.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.JvmBeans;
import io.winnow.hbase.standalone.LocalCluster;
import io.winnow.hbase.standalone.StartUp;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;

/**
 * The resources that the servers with the agent use, sample by sample: heap after a forced
 * collection, threads, file handles, direct memory, and bytes of the log. A server that is started
 * again begins a new series.
 */
final class Servers implements AutoCloseable {
  static final String BENCHMARK = "Soak.server";
  static final String SERVER = "server";
  static final String LIFE = "life";

  static final String MINUTES = "minutes";
  static final String HEAP = "heapAfterCollection";
  static final String THREADS = "threads";
  static final String HANDLES = "handles";
  static final String DIRECT = "directMemory";
  static final String LOG = "logBytes";

  static final String MASTER = "master";
  static final List<String> WATCHED = List.of(Deeds.SPARED, MASTER, Deeds.KILLED);

  /** The logger to which Java reports the broken connection when a server is killed. */
  private static final Logger JMX_LOG = Logger.getLogger("javax.management.remote.misc");

  /**
   * A process of a server, from its start to its end; a server that is started again has a new one.
   */
  private record Life(ProcessHandle process, int number, JvmBeans beans) {}

  private final LocalCluster cluster;
  private final Results results;
  private final long start = System.nanoTime();
  private final Map<String, Life> lives = new HashMap<>();
  private final Map<Long, Double> cpu = new HashMap<>();
  private final double cpuSecondsBefore;
  private double lastMinutes;

  Servers(LocalCluster cluster, Results results) {
    this.cluster = cluster;
    this.results = results;
    JMX_LOG.setLevel(Level.OFF);
    readCpu();
    this.cpuSecondsBefore = allCpuSeconds();
  }

  /**
   * Takes a sample of the resources that each server uses: heap, threads, file handles, memory,
   * log. Returns a description of the sample of the server that is never killed.
   *
   * @throws IOException with a message for the user, if a server ended that was not killed
   */
  String sample() throws IOException {
    readCpu();
    String words = "";
    for (String server : WATCHED) {
      try {
        String text = sample(server);
        words = words.isEmpty() ? text : words;
      } catch (UndeclaredThrowableException e) { // thrown by a bean whose server is gone
        throw new IOException(server + " does not answer", e.getCause());
      }
    }
    return words;
  }

  private void readCpu() {
    Stream.concat(
            Stream.of(ProcessHandle.current()),
            cluster.status().stream().flatMap(server -> cluster.process(server.name()).stream()))
        .forEach(
            process ->
                process
                    .info()
                    .totalCpuDuration()
                    .ifPresent(taken -> cpu.put(process.pid(), taken.toMillis() / 1e3)));
  }

  private double allCpuSeconds() {
    return cpu.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /**
   * Returns the mean number of processor cores that the servers and the JVM of the test used, from
   * the first to the last sample.
   */
  double cores() {
    return (allCpuSeconds() - cpuSecondsBefore) / (60 * lastMinutes);
  }

  private String sample(String server) throws IOException {
    Life life = life(server);
    MBeanServerConnection beans = life.beans.connection();
    ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class).gc();
    long heap =
        ManagementFactory.getPlatformMXBeans(beans, MemoryPoolMXBean.class).stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .mapToLong(pool -> pool.getCollectionUsage().getUsed())
            .sum();
    long direct =
        ManagementFactory.getPlatformMXBeans(beans, BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    int threads = ManagementFactory.getPlatformMXBean(beans, ThreadMXBean.class).getThreadCount();
    long handles =
        ManagementFactory.getPlatformMXBean(beans, UnixOperatingSystemMXBean.class)
            .getOpenFileDescriptorCount();
    Map<String, String> of = Map.of(SERVER, server, LIFE, Integer.toString(life.number));
    lastMinutes = (System.nanoTime() - start) / 60e9;
    results.add(BENCHMARK, of, MINUTES, lastMinutes);
    results.add(BENCHMARK, of, HEAP, heap);
    results.add(BENCHMARK, of, THREADS, threads);
    results.add(BENCHMARK, of, HANDLES, handles);
    results.add(BENCHMARK, of, DIRECT, direct);
    results.add(BENCHMARK, of, LOG, logBytes(server));
    return "%s: heap %s, %d threads, %d handles"
        .formatted(server, Table.size(heap), threads, handles);
  }

  private long logBytes(String server) throws IOException {
    long bytes = 0;
    for (String end : List.of(".log", ".out")) {
      Path file = cluster.logs().resolve(server + end);
      bytes += Files.exists(file) ? Files.size(file) : 0;
    }
    return bytes;
  }

  private Life life(String server) throws IOException {
    Life last = lives.get(server);
    ProcessHandle process = cluster.process(server).orElse(null);
    boolean isSame = last != null && last.process.equals(process);
    if (process == null || (last != null && !isSame && !server.equals(Deeds.KILLED))) {
      throw new IOException(server + " ended by itself; its log is in " + cluster.logs());
    }
    if (isSame) {
      return last;
    }
    close(last);
    Life life = new Life(process, last == null ? 1 : last.number + 1, JvmBeans.of(process));
    lives.put(server, life);
    return life;
  }

  /**
   * Returns the agent's counters in the region server that is never killed, after waiting until
   * their bean exists: HBase removes its beans for a moment, some seconds after a region has come
   * or gone.
   */
  Map<String, Long> winnowCounts() throws IOException, InterruptedException {
    JvmBeans beans = lives.get(Deeds.SPARED).beans;
    Map<String, Long> counts = new HashMap<>();
    StartUp.await(
        "the bean of the agent's counters",
        () -> {
          counts.putAll(beans.numbers("Winnow"));
          return !counts.isEmpty();
        });
    return counts;
  }

  private static void close(Life life) {
    if (life != null) {
      try {
        life.beans.close();
      } catch (IOException e) {
        // The server is gone.
      }
    }
  }

  @Override
  public void close() {
    lives.values().forEach(Servers::close);
  }
}

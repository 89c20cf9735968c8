package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A benchmark of flushes and compactions of real HBase servers with the agent, one server for each
 * contender. Clients put the rows and skip the log. It measures wall time as the client sees it,
 * and CPU time of the whole server process, which has nothing else to do.
 *
 * <p>Servers need libraries that are not among those of the benchmarks, so all of it runs in a JVM
 * with the class path of the launcher's other commands.
 */
final class ServerWrites {
  static final String NAME = "write-path-server";

  /**
   * The three contenders of the benchmark of flushes and compactions: servers that write stock's
   * filters, the recommended ones, or none. All servers have the agent; it does nothing for two of
   * them.
   */
  static final List<WritePath.Contender> CONTENDERS =
      List.of(WritePath.Contender.STOCK, WritePath.Contender.RECOMMENDED, WritePath.Contender.NONE);

  static final List<WritePath.Work> WORKS =
      List.of(WritePath.Work.FLUSH, WritePath.Work.COMPACTION);

  private static final String SEPARATOR = File.pathSeparator;
  private static final String CLIENT_LOG =
      "classpath:io/winnow/hbase/standalone/client-log4j2.properties";

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  ServerWrites(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  private static int rows(Effort effort) {
    return effort == Effort.SMOKE ? 2000 : 240_000;
  }

  private static int warmUps(Effort effort) {
    return effort == Effort.SMOKE ? 0 : 3;
  }

  private static int rounds(Effort effort) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> Orders.period(CONTENDERS.size());
      case FULL -> 2 * Orders.period(CONTENDERS.size());
    };
  }

  private static double startWeight() {
    return 12;
  }

  private static double roundWeight() {
    return 12;
  }

  static double weight(Effort effort) {
    return CONTENDERS.size() * startWeight() + (warmUps(effort) + rounds(effort)) * roundWeight();
  }

  /**
   * Runs the benchmark of flushes and compactions in a JVM with the launcher's class path.
   *
   * @param target the directory in which hbase-integration was built
   */
  void run(Path target) throws IOException {
    Process process =
        new ProcessBuilder(command(target)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        switch (words[1]) {
          case "started" -> progress.step(startWeight(), "a server", words[0]);
          case "round" -> progress.step(roundWeight(), "a round of the servers", outcome());
          default -> {
            Map<String, String> at = Map.of("contender", words[0], "work", words[1]);
            double rows = rows(effort);
            results.add(NAME, at, WritePath.WALL, Double.parseDouble(words[2]) / rows);
            results.add(NAME, at, WritePath.CPU, Double.parseDouble(words[3]) / rows);
          }
        }
      }
      if (process.waitFor() != 0) {
        throw new IOException("the JVM that runs the servers failed; its own lines say why");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroy();
    }
  }

  private String outcome() {
    StringBuilder text = new StringBuilder();
    for (WritePath.Work work : WORKS) {
      text.append(text.isEmpty() ? "" : ", ")
          .append(work.label())
          .append(": CPU ")
          .append(ratio(results, WritePath.CPU, WritePath.RECOMMENDED, work).text());
    }
    return text.toString();
  }

  private List<String> command(Path target) throws IOException {
    Path agent = target.resolve("winnow-hbase.jar");
    // The benchmarks have a binding of the logger, and each JVM would warn about a second one.
    String libraries =
        Arrays.stream(Files.readString(target.resolve("hbase.classpath")).strip().split(SEPARATOR))
            .filter(jar -> !Path.of(jar).getFileName().toString().startsWith("log4j-slf4j-impl"))
            .collect(Collectors.joining(SEPARATOR));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", WorkerJvm.OPEN_NIO, WorkerJvm.OPEN_LANG));
    command.add("-Dlog4j2.configurationFile=" + CLIENT_LOG);
    command.add("-cp");
    command.add(
        String.join(
            SEPARATOR,
            agent.toString(),
            target.resolve("winnow-lab.jar").toString(),
            libraries,
            ours().toString()));
    command.add(ServerWritesWorker.class.getName());
    command.addAll(
        List.of(
            agent.toString(),
            String.valueOf(WritePath.SHAPE_KEY_LENGTH),
            String.valueOf(rows(effort)),
            String.valueOf(warmUps(effort)),
            String.valueOf(rounds(effort))));
    return command;
  }

  /** Returns the jar, or the directory, from which this class was loaded. */
  private static Path ours() {
    try {
      return Path.of(
          ServerWrites.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the ratio of the samples of one contender to those of stock's filter that were measured
   * in the same rounds; NaN if either is not in the results.
   */
  static PairedRatio ratio(Results results, String metric, String contender, WritePath.Work work) {
    return PairedRatio.of(
        samples(results, metric, contender, work), samples(results, metric, WritePath.STOCK, work));
  }

  static double[] samples(Results results, String metric, String contender, WritePath.Work work) {
    return results.samples(NAME, metric, "contender", contender, "work", work.label());
  }
}

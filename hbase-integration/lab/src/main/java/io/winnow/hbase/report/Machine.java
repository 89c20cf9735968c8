package io.winnow.hbase.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A description of the machine on which results are measured: its processor, never its name. */
public final class Machine {
  private static final DateTimeFormatter TO_THE_MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT);

  private Machine() {}

  /**
   * Returns date, machine, Java and commit for the results of a run that begins now.
   *
   * @param command the command line of the run
   */
  public static Results.Setting setting(String command) {
    return new Results.Setting(
        ZonedDateTime.now(ZoneOffset.UTC).format(TO_THE_MINUTE),
        processor(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
        System.getProperty("winnow.commit", "unknown"),
        command,
        0);
  }

  /**
   * Returns the processor's name with its family, model and stepping, because different processors
   * have the same name.
   */
  private static String processor() {
    try {
      String name = processor(Files.readAllLines(Path.of("/proc/cpuinfo")));
      if (name != null) {
        return name;
      }
    } catch (IOException e) {
      // no Linux: the architecture takes its place
    }
    return System.getProperty("os.arch");
  }

  /**
   * Returns the processor's name from the lines of {@code /proc/cpuinfo}, or null if they do not
   * have it.
   */
  static String processor(List<String> cpuinfo) {
    Map<String, String> first = new HashMap<>();
    for (String line : cpuinfo) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        first.putIfAbsent(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
      }
    }
    String name = first.get("model name");
    String kind =
        Stream.of("cpu family", "model", "stepping")
            .filter(first::containsKey)
            .map(first::get)
            .collect(Collectors.joining("/"));
    return name == null || kind.isEmpty() ? name : name + " " + kind;
  }

  /**
   * Converts a text to lower-case letters and digits with single dashes between, for file names.
   */
  public static String slug(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
  }
}

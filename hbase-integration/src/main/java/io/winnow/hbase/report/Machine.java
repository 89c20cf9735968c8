package io.winnow.hbase.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;

/** What is told of the machine: its processor, never its name. */
public final class Machine {
  private Machine() {}

  public static Results.Setting setting(String commit, String command) {
    return new Results.Setting(
        LocalDate.now(ZoneOffset.UTC).toString(),
        processor(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
        commit,
        command,
        0);
  }

  private static String processor() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).strip();
        }
      }
    } catch (IOException e) {
      // not a Linux: the architecture must do
    }
    return System.getProperty("os.arch");
  }

  /** Lower-case letters and digits, single dashes between: for file names. */
  public static String slug(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
  }
}

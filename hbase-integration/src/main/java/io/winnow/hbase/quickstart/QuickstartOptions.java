package io.winnow.hbase.quickstart;

import java.nio.file.Path;
import org.apache.hbase.thirdparty.org.apache.commons.cli.CommandLine;
import org.apache.hbase.thirdparty.org.apache.commons.cli.DefaultParser;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Option;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Options;
import org.apache.hbase.thirdparty.org.apache.commons.cli.ParseException;

/** What the user asked for. Paths that were not given are {@code null}. */
record QuickstartOptions(int rows, Path keys, Path json, Path keep, int port, boolean help) {

  static final int DEFAULT_ROWS = 1_000_000;
  static final int MAX_ROWS = 100_000_000;

  static final String USAGE =
      """
      usage: ./winnow quickstart [--rows N | --keys FILE] [--json FILE] [--keep DIR] [--port N]

      Starts a real HBase, fills one table per kind of filter with the same rows, and
      measures them side by side. Cleans up after itself.
        --rows N      so many rows with keys of 25 bytes (default: 1000000)
        --keys FILE   your own row keys, one per line
        --json FILE   the result for machines
        --keep DIR    keep the data in DIR (new or empty)
        --port N      ZooKeeper's port (default: a free one)
        --help        this text

      Exit codes: 0 all is well, 1 it failed, 2 rows were lost, 64 wrong options.""";

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static QuickstartOptions parse(String... args) {
    Options options =
        new Options()
            .addOption(Option.builder().longOpt("rows").hasArg().build())
            .addOption(Option.builder().longOpt("keys").hasArg().build())
            .addOption(Option.builder().longOpt("json").hasArg().build())
            .addOption(Option.builder().longOpt("keep").hasArg().build())
            .addOption(Option.builder().longOpt("port").hasArg().build())
            .addOption(Option.builder("h").longOpt("help").build());
    CommandLine line;
    try {
      line = new DefaultParser(false).parse(options, args);
    } catch (ParseException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    if (!line.getArgList().isEmpty()) {
      throw new IllegalArgumentException("Unexpected argument: " + line.getArgList().get(0));
    }
    if (line.hasOption("rows") && line.hasOption("keys")) {
      throw new IllegalArgumentException("--rows and --keys exclude each other");
    }
    return new QuickstartOptions(
        number(line, "rows", DEFAULT_ROWS, 2, MAX_ROWS),
        path(line, "keys"),
        path(line, "json"),
        path(line, "keep"),
        number(line, "port", 0, 0, 65535),
        line.hasOption("help"));
  }

  private static int number(CommandLine line, String name, int otherwise, int min, int max) {
    String text = line.getOptionValue(name);
    if (text == null) {
      return otherwise;
    }
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The same message as for a number out of range.
    }
    throw new IllegalArgumentException(
        "--" + name + " " + text + " is not a number in " + min + ".." + max);
  }

  private static Path path(CommandLine line, String name) {
    String text = line.getOptionValue(name);
    return text == null ? null : Path.of(text).toAbsolutePath().normalize();
  }
}

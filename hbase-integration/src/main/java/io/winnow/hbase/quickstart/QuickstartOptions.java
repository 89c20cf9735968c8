package io.winnow.hbase.quickstart;

import io.winnow.hbase.command.Arguments;
import java.nio.file.Path;
import java.util.List;

/** What the user asked for. Paths that were not given are {@code null}. */
record QuickstartOptions(int rows, Path keys, Path json, Path keep, int port, boolean help) {

  static final int DEFAULT_ROWS = 1_000_000;
  static final int MAX_ROWS = 100_000_000;

  static final String USAGE =
      """
      usage: ./winnow quickstart [--rows N | --keys FILE] [--json FILE] [--keep DIR] [--port N]

      Starts a real HBase, fills one table per kind of filter with the same rows, and
      measures them side by side. Cleans up after itself.
        --rows N      number of rows, with keys of 25 bytes (default: 1000000)
        --keys FILE   your own row keys, one per line
        --json FILE   writes the result to FILE as JSON
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
    Arguments arguments =
        Arguments.parse(
            List.of(), List.of("rows", "keys", "json", "keep", "port"), List.of(), args);
    arguments.exclude("rows", "keys");
    return new QuickstartOptions(
        (int) arguments.whole("rows", DEFAULT_ROWS, 2, MAX_ROWS),
        arguments.path("keys"),
        arguments.path("json"),
        arguments.path("keep"),
        (int) arguments.whole("port", 0, 0, 65535),
        arguments.has("help"));
  }
}

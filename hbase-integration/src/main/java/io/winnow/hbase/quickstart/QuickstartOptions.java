package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.List;

/** What the user asked for. Paths that were not given are {@code null}. */
record QuickstartOptions(int rows, Path keys, Path json, Path keep, int port, boolean help) {

  static final int DEFAULT_ROWS = 1_000_000;
  static final int MAX_ROWS = 100_000_000;

  static final String USAGE = Help.of("quickstart");

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

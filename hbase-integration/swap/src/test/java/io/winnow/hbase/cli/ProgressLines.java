package io.winnow.hbase.cli;

import java.util.List;
import java.util.regex.Pattern;

/** The lines of a command's {@link Progress}, which come or not, as the machine is busy. */
public final class ProgressLines {
  private static final Pattern LINE =
      Pattern.compile("  \\[.*\\d:\\d\\d.*|  [0-9,]+ .*, [0-9.]+ s");

  private ProgressLines() {}

  /** Returns the other lines of what a command that counts has said. */
  public static List<String> leftOut(String said) {
    return said.lines().filter(line -> !LINE.matcher(line).matches()).toList();
  }
}

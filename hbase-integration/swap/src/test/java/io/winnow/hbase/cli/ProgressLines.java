package io.winnow.hbase.cli;

import java.util.List;
import java.util.regex.Pattern;

/** The lines of a command's {@link Progress}, whose number depends on how busy the machine is. */
public final class ProgressLines {
  private static final Pattern LINE =
      Pattern.compile("  \\[.*\\d:\\d\\d.*|  [0-9,]+ .*, [0-9.]+ s");

  private ProgressLines() {}

  /** Returns the lines of a command's output that are not progress. */
  public static List<String> withoutProgress(String said) {
    return said.lines().filter(line -> !LINE.matcher(line).matches()).toList();
  }
}

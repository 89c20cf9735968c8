package io.winnow.hbase.tools;

import io.winnow.hbase.cli.ProgressLines;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** The operator's tools, for tests elsewhere, without a JVM for each. */
public final class ToolsDoor {
  /** Exit codes: nothing is left to do, and something is. */
  public static final int DONE = Tool.DONE;

  public static final int FOUND = Tool.FOUND;

  private ToolsDoor() {}

  /** What a tool did. */
  public record Ran(int code, String out, String err) {
    /** Returns the lines of the error output that are not progress. */
    List<String> complaints() {
      return ProgressLines.withoutProgress(err);
    }
  }

  public static Ran run(Configuration conf, String... args) throws InterruptedException {
    return ran(new ByteArrayOutputStream(), conf, args);
  }

  /** The same in a thread of its own, while another one reads what it says. */
  static Ran runTo(ByteArrayOutputStream err, Configuration conf, String... args) {
    try {
      return ran(err, conf, args);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Ran ran(ByteArrayOutputStream err, Configuration conf, String... args)
      throws InterruptedException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int code =
        Tools.run(
            new Configuration(conf),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            args);
    return new Ran(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}

package io.winnow.hbase.tools;

import java.io.IOException;
import java.io.PrintStream;
import org.apache.hadoop.conf.Configuration;

/** One command of {@link Winnow}. */
interface Tool {
  int DONE = 0;
  int FAILED = 1;

  /** There is something that the user asked about. */
  int FOUND = 3;

  int WRONG_USAGE = 64;

  /**
   * Runs it.
   *
   * @param out for what it found, {@code err} for progress and what went wrong
   * @return the exit code
   * @throws IllegalArgumentException with a message for the user, if it is called wrongly
   * @throws IOException with a message for the user, if it failed
   */
  int run(Configuration conf, PrintStream out, PrintStream err, String... args)
      throws IOException, InterruptedException;
}

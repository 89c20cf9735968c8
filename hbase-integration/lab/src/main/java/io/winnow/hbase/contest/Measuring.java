package io.winnow.hbase.contest;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.PageTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** A command that measures, or makes a page anew from committed results. */
public abstract class Measuring extends Program {
  private static final int LOST = 2;

  /** File for the results; null for none. */
  @Option(names = "--json")
  protected Path json;

  @Option(names = "--plots")
  private Path plots;

  @Option(names = "--report")
  private boolean report;

  /** The checkout of Winnow, which has the committed results and the pages. */
  protected final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();

  /** Replaces the measured parts of pages by those of the committed results. */
  protected abstract void renew() throws IOException;

  /** Measures, and publishes the results. Returns the exit code. */
  protected abstract int measure() throws IOException, InterruptedException;

  @Override
  protected final int work() throws IOException, InterruptedException {
    if (report) {
      renew();
      return DONE;
    }
    UserFiles.requireWritable(json);
    return measure();
  }

  /**
   * Prints the page of a run, and writes its plots and its results. Returns the exit code.
   *
   * @param name name of the directory for plots, if the command line names none
   * @param document the results as JSON
   * @param lost number of rows that were lost
   */
  protected final int publish(PageTemplate page, String name, String document, long lost)
      throws IOException {
    page.publish(out, plots != null ? plots : home.resolve("hbase-integration/target/" + name));
    if (json != null) {
      Files.writeString(json, document);
    }
    if (lost == 0) {
      return DONE;
    }
    out.println(lost + " ROWS WERE LOST: this must not be. Please report it with the result.");
    return LOST;
  }
}

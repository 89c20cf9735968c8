package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The measured part of {@code docs/dedup.md}, from the newest results; the rest is by hand. */
final class DedupPage {
  static final String BEGIN =
      "<!-- Measured: `./winnow dedup bench --report` writes from here on. -->\n";

  /** How the names of results end, after date, machine and commit. */
  static final String OF_DEDUP = "_dedup";

  private DedupPage() {}

  /** Writes the page and its plots anew. */
  static void renew(Path home) throws IOException {
    Path file = file(home);
    Files.writeString(file, renewed(Files.readString(file), home));
    Optional<Path> newest = newest(home);
    if (newest.isPresent()) {
      Results results = ResultFiles.read(newest.get());
      Path docs = home.resolve("docs");
      DedupReport.page(results).writePlots(docs.resolve("plots"));
      Page.writeAsked(docs, "dedup", results.setting(), DedupReport.goals(results).markdown());
    }
  }

  static Path file(Path home) {
    return home.resolve("docs").resolve("dedup.md");
  }

  static Path results(Path home) {
    return home.resolve("hbase-integration").resolve("results");
  }

  private static Optional<Path> newest(Path home) throws IOException {
    return ResultFiles.in(results(home), "").newest(OF_DEDUP);
  }

  /** The page with what the newest results say. */
  static String renewed(String page, Path home) throws IOException {
    int begin = page.indexOf(BEGIN);
    if (begin < 0) {
      throw new IOException("docs/dedup.md has no line " + BEGIN.strip());
    }
    String byHand = page.substring(0, begin + BEGIN.length());
    Optional<Path> newest = newest(home);
    if (newest.isEmpty()) {
      return byHand + "\nNo results are kept yet.\n";
    }
    Results results = ResultFiles.read(newest.get());
    return byHand
        + '\n'
        + Page.facts(results.setting(), "hbase-integration/results/" + newest.get().getFileName())
        + DedupReport.page(results).markdown();
  }
}

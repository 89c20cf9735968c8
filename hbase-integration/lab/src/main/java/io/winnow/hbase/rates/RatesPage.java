package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The measured part of {@code docs/rates.md}, from committed results; the rest is by hand. */
final class RatesPage {
  static final String BEGIN =
      "<!-- Measured: `./winnow rates --report` writes the next part. -->\n";

  private static final String END = "<!-- End of what is measured. -->\n";

  /** In the names of results, after date, machine and commit. */
  private static final String OF_RATES = "_rates";

  private RatesPage() {}

  /** Writes the page anew. */
  static void renew(Path home) throws IOException {
    Files.writeString(file(home), renewed(Files.readString(file(home)), home));
    Files.writeString(gains(home), RatesReport.gains(usual(home)));
  }

  static Path file(Path home) {
    return home.resolve("docs").resolve("rates.md");
  }

  /** README's picture. */
  static Path gains(Path home) {
    return home.resolve("docs").resolve("plots").resolve("store-rates-gain.svg");
  }

  /** The run with defaults. */
  static RatesResult usual(Path home) throws IOException {
    return RatesResult.ofJson(Files.readString(results(home).get(0)));
  }

  /** The page with what the results say now. */
  static String renewed(String page, Path home) throws IOException {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException("docs/rates.md has no lines " + BEGIN.strip() + " and " + END.strip());
    }
    StringBuilder text = new StringBuilder(page.substring(0, begin + BEGIN.length()));
    Table table =
        new Table(
            "",
            "`winnow.store.memory`",
            "`./winnow rates`",
            "bytes",
            "unnecessary file reads, absent rows",
            "present rows",
            "rows lost");
    List<RatesResult> results = new ArrayList<>();
    for (Path file : results(home)) {
      RatesResult result = RatesResult.ofJson(Files.readString(file));
      results.add(result);
      String options = result.setting().command().replace("./winnow rates", "").strip();
      RatesReport.memoryAndReads(result, options.isEmpty() ? "" : '`' + options + '`', table);
    }
    text.append('\n').append(table.markdown()).append('\n');
    for (RatesResult result : results) {
      for (Bound bound : RatesReport.bounds(result)) {
        if (!bound.verdict().equals("reached")) {
          text.append("**Not reached** by `" + result.setting().command() + "`: ");
          text.append(bound.what()).append(".\n\n");
        }
      }
    }
    text.append(ScansPage.told(results.stream().map(RatesResult::setting)));
    return text.append(page.substring(end)).toString();
  }

  /** The run with defaults comes first. */
  private static String variant(Path file) {
    String name = file.getFileName().toString();
    return name.substring(name.indexOf(OF_RATES));
  }

  private static List<Path> results(Path home) throws IOException {
    Path directory = home.resolve("hbase-integration").resolve("results");
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().contains(OF_RATES))
          .sorted(Comparator.comparing(RatesPage::variant))
          .toList();
    }
  }
}

package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The measured part of {@code docs/scans.md}, from committed results; the rest is by hand. */
final class ScansPage {
  private static final String BEGIN =
      "<!-- Measured: `./winnow scans --report` writes the next part. -->\n";

  private static final String END = "<!-- End of what is measured. -->\n";

  /** In the names of results, after date, machine and commit. */
  private static final String OF_SCANS = "_scans";

  /** The case in the results of a real server. */
  private static final String SERVER_READS = "scanReads";

  private ScansPage() {}

  /** Writes the page and its plot anew. */
  static void renew(Path home) throws IOException {
    Files.writeString(file(home), renewed(Files.readString(file(home)), home));
    List<Scans.Result> results = results(home);
    List<Scans.Variant> stores = stores(results);
    Files.writeString(plot(home), Scans.plot(stores.get(0)));
    for (Scans.Variant store : others(stores)) {
      Files.writeString(csv(home, store), Scans.table(store).csv());
    }
    Page.writeAsked(home.resolve("docs"), "scans", results.get(0).setting(), asked(stores));
  }

  static Path file(Path home) {
    return home.resolve("docs").resolve("scans.md");
  }

  static Path plot(Path home) {
    return home.resolve("docs").resolve("plots").resolve("scans.svg");
  }

  /** All rows of a store that the page does not show. */
  static Path csv(Path home, Scans.Variant store) {
    return home.resolve("docs").resolve("plots").resolve(csv(store));
  }

  private static String csv(Scans.Variant store) {
    return "scans-" + store.shape().name() + ".csv";
  }

  /** The page shows the usual store. */
  static List<Scans.Variant> others(List<Scans.Variant> stores) {
    return stores.subList(1, stores.size());
  }

  /** The goals. */
  static String asked(List<Scans.Variant> stores) {
    Page page = new Page();
    page.add(
        new Section("Asked and measured", "*over winnow-row*: over filters of rows alone.\n")
            .add(Bound.table(Scans.bounds(stores))));
    return page.markdown();
  }

  /** The page with what the results say now. */
  static String renewed(String page, Path home) throws IOException {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException("docs/scans.md has no lines " + BEGIN.strip() + " and " + END.strip());
    }
    List<Scans.Result> results = results(home);
    StringBuilder text = new StringBuilder(page.substring(0, begin + BEGIN.length()));
    List<Scans.Variant> stores = stores(results);
    text.append("\n**").append(Scans.title(stores.get(0).shape())).append("**\n\n");
    text.append(Scans.table(stores.get(0)).markdown());
    text.append('\n')
        .append(overStock(stores).markdown())
        .append('\n')
        .append(told(results.stream().map(Scans.Result::setting)));
    Path ofServers = home.resolve("ycsb-profiles").resolve("results");
    Optional<Path> server = ResultFiles.in(ofServers, "").newest(OF_SCANS);
    if (server.isPresent()) {
      Results scans = ResultFiles.read(server.get());
      text.append(onServer(scans).markdown()).append('\n').append(told(Stream.of(scans.setting())));
    }
    return text.append(page.substring(end)).toString();
  }

  /** Each store in one row. */
  private static Table overStock(List<Scans.Variant> stores) {
    Table table =
        new Table(
            "",
            "rows and prefixes, over HBase's filter of rows",
            "files per scan",
            "scans per second of CPU",
            "absent",
            "reversed",
            "all figures");
    for (Scans.Variant store : stores) {
      double stock = store.of(ScanStore.Contender.STOCK_ROW).filesReadPerScan();
      table.row(
          Scans.inWords(store.shape()),
          Table.number(store.of(ScanStore.Contender.WINNOW_BOTH).filesReadPerScan() / stock, 2),
          Scans.gain(store, ScanStore.Question.PRESENT).text(),
          Scans.gain(store, ScanStore.Question.ABSENT).text(),
          Scans.gain(store, ScanStore.Question.REVERSED).text(),
          store == stores.get(0) ? "above" : "[CSV](plots/%s)".formatted(csv(store)));
    }
    return table;
  }

  /** Where each of these results comes from, once. */
  static String told(Stream<Results.Setting> settings) {
    return settings.map(Results.Setting::told).distinct().collect(Collectors.joining(" ")) + "\n\n";
  }

  /** What {@code ./winnow ycsb --scans} measured. */
  private static Table onServer(Results scans) {
    Table table =
        new Table(
            "",
            "`./winnow ycsb --scans`, over HBase's filter of rows",
            "with",
            "scans per second",
            "server's CPU of a scan",
            "blocks from disk per scan");
    for (String profile : scans.values(SERVER_READS, "profile")) {
      for (String filter : List.of("store", "prefix")) {
        table.row(
            '`' + profile + '`',
            filter.equals("store") ? "rows" : "rows and prefixes",
            over(scans, "scansPerSecond", profile, filter),
            over(scans, "serverCpuMicrosPerScan", profile, filter),
            over(scans, "blocksReadPerScan", profile, filter));
      }
    }
    return table;
  }

  private static String over(Results scans, String metric, String profile, String filter) {
    return PairedRatio.of(
            scans.samples(SERVER_READS, metric, "profile", profile, "filter", filter),
            scans.samples(SERVER_READS, metric, "profile", profile, "filter", "stock"))
        .text();
  }

  static List<Scans.Variant> stores(List<Scans.Result> results) {
    List<Scans.Variant> stores = new ArrayList<>();
    results.forEach(result -> stores.addAll(result.stores()));
    return stores;
  }

  /** The run of the usual store comes first. */
  static List<Scans.Result> results(Path home) throws IOException {
    Path directory = home.resolve("hbase-integration").resolve("results");
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files =
          all.filter(file -> file.getFileName().toString().contains(OF_SCANS))
              .sorted((one, other) -> variant(one).compareTo(variant(other)))
              .toList();
    }
    List<Scans.Result> results = new ArrayList<>();
    for (Path file : files) {
      results.add(Scans.Result.ofJson(Files.readString(file)));
    }
    return results;
  }

  private static String variant(Path file) {
    String name = file.getFileName().toString();
    return name.substring(name.indexOf(OF_SCANS));
  }
}

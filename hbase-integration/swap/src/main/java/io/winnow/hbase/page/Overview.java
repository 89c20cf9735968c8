package io.winnow.hbase.page;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.ServerView;
import io.winnow.hbase.read.CachePressure;
import io.winnow.hbase.settings.RateReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Web page about a region server's filters: cards with sums, and a row for each column family. */
final class Overview {
  private static final List<Column<FamilyLine>> COLUMNS =
      List.of(
          Column.of(
                  "table",
                  "table",
                  Form.WORDS,
                  (FamilyLine line) -> line.table,
                  "Leads to the files of the family that this server has open")
              .linked(line -> FileList.link(line.table, line.family)),
          Column.of("family", "family", Form.WORDS, line -> line.family, "The column family"),
          Column.of(
              "asks",
              "asks for",
              Form.WORDS,
              FamilyLine::configuredFilter,
              "The filter that new files get by the settings of the family, the table and the"
                  + " server"),
          Column.of(
              "has",
              "files by filter",
              Form.WORDS,
              FamilyLine::kindsInWords,
              "bloom: HBase's own; none: the family asks for none, or the file is empty; missing:"
                  + " the family asks for one; unreadable: damaged, or given up"),
          Column.hidden("files", FamilyLine::files),
          Column.of(
              "otherThanAsked",
              "not as asked",
              Form.COUNT,
              FamilyLine::outdated,
              "Files with another filter than the family asks for: a major compaction writes them"
                  + " anew"),
          Column.of(
              "filterBytes",
              "filter bytes",
              Form.BYTES,
              FamilyLine::bytes,
              "Of the filters that Gets query: they take as much block cache when all are cached"),
          Column.of(
              "bitsPerKey",
              "bits per key",
              Form.BITS,
              FamilyLine::bitsPerKey,
              "Filter bits for each key in a filter"),
          Column.of(
              "stockBytes",
              "stock takes",
              Form.BYTES,
              FamilyLine::stockBytes,
              "What HBase's own filters of the same files would take with the family's settings,"
                  + " computed"),
          Column.of(
              "savedBytes",
              "saved",
              Form.BYTES,
              FamilyLine::savedBytes,
              "What stock takes, less the filter bytes"),
          Column.of(
              "askedRate",
              "made for",
              Form.PERCENT,
              FamilyLine::askedRate,
              "False positives of a probe that the filters were made for, a mean over the files:"
                  + " small files are made for less than the family's rate"),
          Column.hidden("familyRate", line -> line.configured.familyRate()),
          Column.hidden("builtRate", FamilyLine::builtRate),
          Column.of(
              "countedRate",
              "counted rate",
              Form.PERCENT,
              FamilyLine::countedRate,
              "False reads, divided by false reads and files that a filter ruled out, since the"
                  + " server started"),
          Column.of(
              "questions",
              "queries",
              Form.COUNT,
              FamilyLine::queries,
              "Times that HBase queried a file's filter, since the server started"),
          Column.hidden("negatives", FamilyLine::negatives),
          Column.of(
              "falseReads",
              "false reads",
              Form.COUNT,
              FamilyLine::falseReads,
              "Files that were read unnecessarily, since the server started: the filter said maybe,"
                  + " and the key was not there"),
          Column.hidden("trueReads", FamilyLine::trueReads),
          Column.of(
              "falseReadsPerSecond",
              "false reads/s",
              Form.PER_SECOND,
              FamilyLine::falseReadsPerSecond,
              "The same per second, over the time that the card names"),
          Column.of(
              "scans",
              "scans by prefix",
              Form.WORDS,
              FamilyLine::scans,
              "The prefixes that the bounds of scans imply most often, the files that these scans"
                  + " read, and those that had no row for them: winnow.scan.prefix = the number of"
                  + " bytes spares such reads"),
          Column.hidden("scansByPrefix", FamilyLine::scansByPrefix),
          Column.hidden("scansByDelimiter", FamilyLine::scansByDelimiter),
          Column.hidden("scanFalseReads", FamilyLine::scanFalseReads),
          Column.hidden("scanNegatives", FamilyLine::scanNegatives),
          Column.of(
              "segments",
              "key segments",
              Form.WORDS,
              FamilyLine::segments,
              "Scans whose bounds imply all bytes before a file's key segments"
                  + " (winnow.scan.segment); files that scans and Gets skipped by them, files that"
                  + " scans read, and of these the ones that had no row for them"),
          Column.hidden("segmentScans", FamilyLine::segmentScans),
          Column.hidden("segmentSkips", FamilyLine::segmentSkips),
          Column.hidden("segmentFalseReads", FamilyLine::segmentFalseReads),
          Column.of(
              "ranges",
              "ranges of filters",
              Form.WORDS,
              FamilyLine::ranges,
              "Files that scans skipped by the ranges of rows that their filters state, and those"
                  + " that such scans read though they had no row for them"),
          Column.hidden("rangeSkips", FamilyLine::rangeSkips),
          Column.hidden("rangeFalseReads", FamilyLine::rangeFalseReads),
          Column.of(
              "fallbacks",
              "fallbacks",
              Form.COUNT,
              FamilyLine::fallbacks,
              "Files that got HBase's filter though the family asked for another, since the server"
                  + " started"),
          Column.of(
              "reasons",
              "why",
              Form.WORDS,
              FamilyLine::reasons,
              "Why there were fallbacks, and what is wrong with a setting now"),
          Column.hidden("keys", FamilyLine::keys),
          Column.hidden("deleteFamilyBytes", FamilyLine::deleteFamilyBytes),
          Column.hidden("kinds", line -> line.kinds));

  /** Metrics that should be 0, each with the words that describe what it counts. */
  private static final Map<String, String> TROUBLES = new LinkedHashMap<>();

  static {
    TROUBLES.put("openFilesMissing", "files without the filter that they should have");
    TROUBLES.put("openFilesUnreadable", "files whose filter cannot be opened");
    TROUBLES.put("filtersAbandoned", "filters given up while they were written");
    TROUBLES.put("chunksGivenUp", "damaged chunks");
    TROUBLES.put("loadFailures", "chunks that could not be loaded");
    TROUBLES.put("probeFailures", "probes that failed");
    TROUBLES.put("openFailures", "filters that could not be opened");
    TROUBLES.put("storeFailures", "files written as if their store were not known");
  }

  private final PageInput input;
  private final ServerView view;
  private final RecentCounts.Rates recent;
  private final List<FamilyLine> lines;
  private final PageTable<FamilyLine> table;

  Overview(PageInput input, Query query) {
    this.input = input;
    this.view = input.view;
    this.recent = input.recent.sample(view);
    this.lines = FamilyLine.of(input, recent);
    this.table = new PageTable<>(COLUMNS, lines, query);
  }

  Map<String, Object> json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("server", input.server);
    document.put("version", ServerView.version());
    document.put("falseReadsOverSeconds", recent.seconds);
    document.put("reloadsPerSecond", finite(recent.perSecond(RecentCounts.RELOADS)));
    document.put("skippedLoadsPerSecond", finite(recent.perSecond(RecentCounts.SKIPPED)));
    double misses = recent.missesPerQuery();
    document.put("evictedMissesPerQuery", finite(misses));
    document.put("cacheIsShort", CachePressure.OF_THIS_JVM.isCacheShort());
    document.put("families", table.json());
    document.put("metrics", view.values());
    return document;
  }

  Html html() {
    Html html = Pages.begin("Winnow: filters of this server", input);
    html.raw("<section class=\"cards\">");
    filters(html);
    cache(html);
    reads(html);
    fallbacks(html);
    troubles(html);
    html.raw("</section>\n<h2>Column families</h2>\n<p>Open files of ");
    html.text(view.regions.size() + " regions, ");
    html.text("as they are now. A click on a title sorts.");
    html.raw("</p>\n");
    table.html(html);
    table.legend(html);
    metrics(html);
    return html.raw("</main>").end();
  }

  private void filters(Html html) {
    long files = lines.stream().mapToLong(FamilyLine::files).sum();
    long bytes = lines.stream().mapToLong(FamilyLine::bytes).sum();
    long stock = lines.stream().mapToLong(FamilyLine::stockBytes).sum();
    String share =
        stock == 0 ? "" : String.format(Locale.ROOT, " (%.1f %%)", 100.0 * (stock - bytes) / stock);
    card(
        html,
        "Filters",
        Form.BYTES.text(bytes),
        Form.counted(files, "open file"),
        "HBase's own would take " + Form.BYTES.text(stock),
        "Saved: " + Form.BYTES.text(stock - bytes) + share);
  }

  /**
   * Adds the card that shows if the filters fit the block cache, and which rates new files
   * therefore get if their settings leave the choice to the server.
   */
  private void cache(Html html) {
    long bytes = lines.stream().mapToLong(FamilyLine::bytes).sum();
    long cache = view.value("filterCacheBytes");
    String share =
        cache == 0 ? "" : String.format(Locale.ROOT, " (%.1f %% of it)", 100.0 * bytes / cache);
    double misses = recent.missesPerQuery();
    card(
        html,
        "Block cache",
        cache == 0 ? "none" : Form.BYTES.text(cache),
        "Filters: " + Form.BYTES.text(bytes) + share,
        "Chunks loaded again: "
            + Form.PER_SECOND.text(finite(recent.perSecond(RecentCounts.RELOADS)))
            + " per second; loads skipped: "
            + Form.PER_SECOND.text(finite(recent.perSecond(RecentCounts.SKIPPED))),
        "Queries whose chunk was evicted: " + Form.PERCENT.text(finite(misses)),
        "New files: "
            + (CachePressure.OF_THIS_JVM.isCacheShort()
                ? RateReason.CACHE.inWords
                : "rates by store"));
  }

  private void reads(Html html) {
    if (!FamilyLine.canCount(view)) {
      card(
          html,
          "False reads",
          "not counted",
          "The agent logged the reason when this server started");
      return;
    }
    long all = view.value("falsePositives");
    double rate = FamilyLine.rate(all, view.value("filterNegatives"));
    card(
        html,
        "False reads",
        recent.isTooShort()
            ? "after a minute"
            : Form.PER_SECOND.text(recent.falseReadsPerSecond("")) + " per second",
        recent.interval(),
        Form.COUNT.text(all) + " since the server started",
        "Counted rate: " + Form.PERCENT.text(finite(rate)));
  }

  /** Returns a value, or null in place of NaN. */
  private static Double finite(double value) {
    return Double.isNaN(value) ? null : (Double) value;
  }

  private void fallbacks(Html html) {
    long all = 0;
    List<String> reasons = new ArrayList<>();
    for (Fallback reason : Fallback.values()) {
      long files = view.value(reason.metric.label);
      all += files;
      if (files > 0) {
        reasons.add(Form.COUNT.text(files) + ": " + FamilyLine.words(reason));
      }
    }
    card(
        html,
        "Fallbacks to HBase's filter",
        Form.counted(all, "file"),
        reasons.isEmpty() ? "Since the server started" : String.join(", ", reasons));
  }

  private void troubles(Html html) {
    List<String> troubles = new ArrayList<>();
    TROUBLES.forEach(
        (name, words) -> {
          if (view.value(name) > 0) {
            troubles.add(Form.COUNT.text(view.value(name)) + " " + words);
          }
        });
    card(
        html,
        "Troubles",
        troubles.isEmpty() ? "none" : String.valueOf(troubles.size()),
        troubles.toArray(String[]::new));
  }

  private static void card(Html html, String title, String figure, String... lines) {
    html.raw("<div class=\"card\">").element("h2", title);
    html.raw("<p class=\"figure\">").text(figure).raw("</p>");
    for (String line : lines) {
      html.element("p", line);
    }
    html.raw("</div>\n");
  }

  /** Adds a table of the region server's metrics to the page. A family's metrics are in its row. */
  private void metrics(Html html) {
    html.raw("<details><summary>All metrics of this server, as JMX has them</summary>");
    html.raw("<table class=\"facts\">");
    view.values()
        .forEach(
            (name, value) -> {
              if (!name.startsWith("Namespace_")) {
                html.raw("<tr>").element("th", name);
                html.raw("<td class=\"number\">").text(Form.COUNT.text(value)).raw("</td>");
                html.element("td", view.meaning(name)).raw("</tr>\n");
              }
            });
    html.raw("</table></details>\n");
  }
}

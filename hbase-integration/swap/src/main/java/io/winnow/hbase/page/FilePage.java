package io.winnow.hbase.page;

import io.winnow.hbase.read.FilterFacts;
import io.winnow.hbase.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.io.hfile.HFile;

/**
 * Web page with all facts about the filters of one open store file, except keys: these are data of
 * the table. The facts come from the filters' meta blocks, which are in memory while the file is
 * open.
 */
final class FilePage {
  /** Maximum number of chunks that the page of a file shows; the tool {@code inspect} shows all. */
  private static final int CHUNKS = 1000;

  private static final List<Column<Numbered>> COLUMNS =
      List.of(
          Column.of(
              "chunk",
              "chunk",
              Form.COUNT,
              numbered -> numbered.number,
              "In the order of the keys"),
          Column.of(
              "offset",
              "offset",
              Form.COUNT,
              numbered -> numbered.chunk.offset,
              "Of its block in the file"),
          Column.of(
              "bytes",
              "bytes",
              Form.BYTES,
              numbered -> numbered.chunk.bytes,
              "Of the filter in it"),
          Column.of("keys", "keys", Form.COUNT, numbered -> numbered.chunk.keys, "Keys in it"),
          Column.of(
              "bitsPerKey",
              "bits per key",
              Form.BITS,
              numbered -> numbered.chunk.bitsPerKey(),
              "Filter bits for each key"));

  private static final class Numbered {
    final long number;
    final FilterFacts.Chunk chunk;

    Numbered(long number, FilterFacts.Chunk chunk) {
      this.number = number;
      this.chunk = chunk;
    }
  }

  /**
   * Function that reads the facts about one of a store file's filters; it returns null if the file
   * has no such filter.
   */
  @FunctionalInterface
  private interface Source {
    FilterFacts of(HFile.Reader reader) throws IOException;
  }

  /** Facts about one filter of a store file, or the reason why they cannot be read. */
  private static final class FilterState {
    final FilterFacts facts;
    final String problem;

    FilterState(FilterFacts facts, String problem) {
      this.facts = facts;
      this.problem = problem;
    }

    static FilterState of(FileLine line, Source source) {
      try {
        return new FilterState(source.of(line.reader.getHFileReader()), null);
      } catch (IOException | RuntimeException e) {
        return new FilterState(null, String.valueOf(e.getMessage()));
      }
    }

    Map<String, Object> json() {
      Map<String, Object> values = new LinkedHashMap<>();
      if (facts != null) {
        values.put("filter", facts.filter);
        values.put("keyKind", facts.keyKind);
        values.put("hash", facts.hash);
        values.put("bytes", facts.bytes);
        values.put("keys", facts.keys);
        values.put("keyLimit", facts.keyLimit);
        values.put("bitsPerKey", 8.0 * facts.bytes / Math.max(1, facts.keys));
        values.put("askedRate", Double.isNaN(facts.configuredRate) ? null : facts.configuredRate);
        values.put("whyThisRate", facts.whyThisRate);
        values.put("builtRate", facts.estimatedRate);
        values.put("chunks", facts.chunks.size());
        values.put("prefixRule", facts.prefixRule());
        values.put("prefixes", facts.prefixes());
        values.put("chunksWithoutPrefixes", facts.chunksWithoutPrefixes());
      } else if (problem != null) {
        values.put("problem", problem);
      }
      return values;
    }
  }

  private final PageInput input;
  private final Query query;
  private final FileLine line;
  private final FilterState general;
  private final FilterState deleteFamily;

  private FilePage(PageInput input, Query query, FileLine line) {
    this.input = input;
    this.query = query;
    this.line = line;
    this.general = FilterState.of(line, FilterFacts::general);
    this.deleteFamily = FilterState.of(line, FilterFacts::deleteFamily);
  }

  /**
   * Returns the page of a store file; null if this server has no such file open. Files that are not
   * open are never read.
   */
  static FilePage of(PageInput input, Query query) {
    for (FileLine line : FileLine.of(input, query.get(Pages.TABLE), query.get(Pages.FAMILY))) {
      if (line.region.equals(query.get(Pages.REGION))
          && line.name().equals(query.get(Pages.FILE))) {
        return new FilePage(input, query, line);
      }
    }
    return null;
  }

  static String link(String table, String family, FileLine line) {
    return FileList.query(table, family)
        .with(Pages.REGION, line.region)
        .with(Pages.FILE, line.name())
        .link();
  }

  Map<String, Object> json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("server", input.server);
    document.put("file", line.file.getPath().toString());
    document.put("region", line.region);
    document.put("fileBytes", line.bytes());
    document.put("cells", line.cells());
    document.put("asAsked", line.asConfigured());
    document.put("general", general.json());
    document.put("deleteFamily", deleteFamily.json());
    document.put("segment", line.segment());
    return document;
  }

  Html html() {
    Html html = Pages.begin("Filters of a file", input);
    String table = query.get(Pages.TABLE);
    String family = query.get(Pages.FAMILY);
    html.raw("<p>Of ").link(FileList.link(table, family), table + ", family " + family);
    html.text(", region " + line.region).raw("</p>\n<p class=\"path\">");
    html.text(line.file.getPath().toString()).raw("</p>\n<p>");
    html.text(Form.BYTES.text(line.bytes()) + ", " + Form.COUNT.text(line.cells()) + " cells. ");
    html.text("A filter as its family asks for: " + line.asConfigured() + ".").raw("</p>\n");
    html.element("h2", "The filter that Gets query");
    facts(html, general);
    html.element("h2", "The filter of delete-family markers");
    facts(html, deleteFamily);
    html.element("h2", "Key segments");
    String segment = line.segment();
    if (segment == null) {
      html.element("p", "None.");
    } else {
      html.raw("<table class=\"facts\">");
      fact(html, "rule: number of intervals", segment);
      html.raw("</table>\n");
    }
    if (general.facts != null) {
      chunks(html, general.facts.chunks);
    }
    return html.raw("</main>").end();
  }

  private static void facts(Html html, FilterState state) {
    FilterFacts facts = state.facts;
    if (facts == null) {
      html.element("p", state.problem == null ? "None." : state.problem);
      return;
    }
    html.raw("<table class=\"facts\">");
    fact(html, "kind", facts.filter);
    fact(html, "keys are of", facts.keyKind);
    fact(html, "hash", facts.hash);
    fact(html, "keys", Form.COUNT.text(facts.keys));
    fact(html, "room for keys", Form.COUNT.text(facts.keyLimit));
    fact(html, "bytes", Form.COUNT.text(facts.bytes));
    fact(html, "bits per key", Form.BITS.text(8.0 * facts.bytes / Math.max(1, facts.keys)));
    Double asked = Double.isNaN(facts.configuredRate) ? null : facts.configuredRate;
    fact(html, "made for a rate of", Form.PERCENT.text(asked));
    fact(html, "why this rate", facts.whyThisRate);
    fact(html, "built rate of a probe", Form.PERCENT.text(facts.estimatedRate));
    fact(html, "chunks", Form.COUNT.text((long) facts.chunks.size()));
    if (facts.prefixRule() != null) {
      fact(html, "prefixes for scans", Setting.SCAN_PREFIX.key + " = " + facts.prefixRule());
      fact(html, "prefixes beside the keys", Form.COUNT.text(facts.prefixes()));
      fact(html, "chunks without prefixes", Form.COUNT.text((long) facts.chunksWithoutPrefixes()));
    }
    html.raw("</table>\n");
  }

  private static void fact(Html html, String name, String value) {
    html.raw("<tr>").element("th", name).element("td", value).raw("</tr>");
  }

  private void chunks(Html html, List<FilterFacts.Chunk> chunks) {
    html.element("h2", "Chunks");
    List<Numbered> numbered = new ArrayList<>();
    for (FilterFacts.Chunk chunk : chunks.subList(0, Math.min(CHUNKS, chunks.size()))) {
      numbered.add(new Numbered(numbered.size(), chunk));
    }
    if (numbered.size() < chunks.size()) {
      html.element("p", "The first " + CHUNKS + ". The tool inspect shows all.");
    }
    new PageTable<>(COLUMNS, numbered, query).html(html);
  }
}

package io.winnow.hbase.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Web page with a row for each open file of a column family. */
final class FileList {
  private static final List<Column<FileLine>> COLUMNS =
      List.of(
          Column.of(
              "region",
              "region",
              Form.WORDS,
              line -> line.region,
              "The encoded name of the region"),
          Column.of(
              "file", "file", Form.WORDS, FileLine::name, "Leads to all facts about its filters"),
          Column.of("fileBytes", "file bytes", Form.BYTES, FileLine::bytes, "The file's size"),
          Column.of("cells", "cells", Form.COUNT, FileLine::cells, "Cells in the file"),
          Column.of(
              "filter",
              "filter",
              Form.WORDS,
              FileLine::filter,
              "The kind of the filter that Gets query, or why there is none"),
          Column.of(
              "asAsked",
              "as asked",
              Form.WORDS,
              FileLine::asConfigured,
              "Whether a major compaction would leave the kind as it is"),
          Column.of("keys", "keys", Form.COUNT, FileLine::keys, "Keys in the filter"),
          Column.of(
              "filterBytes",
              "filter bytes",
              Form.BYTES,
              FileLine::filterBytes,
              "Of all its chunks"),
          Column.of(
              "bitsPerKey",
              "bits per key",
              Form.BITS,
              FileLine::bitsPerKey,
              "Filter bits for a key"),
          Column.of(
              "askedRate",
              "made for",
              Form.PERCENT,
              FileLine::askedRate,
              "False positives of a probe that the filter was made for: of a small file less than"
                  + " the family's rate"),
          Column.of(
              "familyRate",
              "family's rate",
              Form.PERCENT,
              line -> line.configured.familyRate(),
              "False positives of a probe that the family asks for: io.storefile.bloom.error.rate"),
          Column.of(
              "whyThisRate",
              "why this rate",
              Form.WORDS,
              FileLine::whyThisRate,
              "What decided on it, and the file's part of its store's keys when it was written"),
          Column.of(
              "builtRate",
              "built rate",
              Form.PERCENT,
              FileLine::builtRate,
              "False positives of a probe by what was built; of a bloom, by its keys and the"
                  + " family's settings"),
          Column.of(
              "deleteFamilyFilter",
              "delete-family filter",
              Form.WORDS,
              FileLine::deleteFamilyFilter,
              "The kind of the filter of delete-family markers"),
          Column.of(
              "deleteFamilyBytes",
              "its bytes",
              Form.BYTES,
              FileLine::deleteFamilyBytes,
              "Of all its chunks"),
          Column.of(
              "segment",
              "key segments",
              Form.WORDS,
              FileLine::segment,
              "Rule by which the file was written, and number of its intervals"));

  private final PageInput input;
  private final String tableName;
  private final String family;
  private final List<FileLine> lines;
  private final PageTable<FileLine> table;

  FileList(PageInput input, Query query) {
    this.input = input;
    this.tableName = query.get(Pages.TABLE);
    this.family = query.get(Pages.FAMILY);
    this.lines = FileLine.of(input, tableName, family);
    List<Column<FileLine>> columns =
        COLUMNS.stream()
            .map(
                column ->
                    column.name.equals("file")
                        ? column.linked(line -> FilePage.link(tableName, family, line))
                        : column)
            .collect(Collectors.toList());
    this.table = new PageTable<>(columns, lines, query);
  }

  static String link(String table, String family) {
    return query(table, family).link();
  }

  static Query query(String table, String family) {
    return Query.of(null).with(Pages.TABLE, table).with(Pages.FAMILY, family);
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  Map<String, Object> json() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("server", input.server);
    document.put("table", tableName);
    document.put("family", family);
    document.put("asks", lines.get(0).configured.filters.inWords());
    document.put("files", table.json());
    return document;
  }

  Html html() {
    Html html = Pages.begin("Filters of " + tableName + ", family " + family, input);
    html.raw("<p>").text(Form.counted(lines.size(), "open file") + ". The family asks for: ");
    html.text(lines.get(0).configured.filters.inWords()).raw(". ");
    html.text("A click on a title sorts.").raw("</p>\n");
    table.html(html);
    table.legend(html);
    return html.raw("</main>").end();
  }
}

package io.winnow.hbase.versions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What was run on which HBase and which Java: made from the reports that the tests leave, kept in
 * {@code docs/versions.csv}, and shown in {@code docs/versions.md}.
 *
 * <p>After a run, in the project's directory:
 *
 * <pre>
 *   java hbase-integration/src/test/java/io/winnow/hbase/versions/VersionsTable.java
 * </pre>
 */
final class VersionsTable {
  static final String BEGIN = "<!-- made by VersionsTable -->\n";
  static final String END = "<!-- end -->\n";

  private static final String HEADER = "hbase,java,tests,passed,skipped";
  private static final Pattern SUITE =
      Pattern.compile("<testsuite [^>]*?\\bname=\"([^\"]+)\"[^>]*>", Pattern.DOTALL);

  private VersionsTable() {}

  public static void main(String[] arguments) throws IOException {
    Path docs = Path.of("docs");
    Map<String, int[]> rows = read(docs.resolve("versions.csv"));
    for (String directory : List.of("surefire-reports", "hbase-3-reports", "failsafe-reports")) {
      rows.putAll(ofReports(Path.of("hbase-integration", "target", directory)));
    }
    Files.writeString(docs.resolve("versions.csv"), csv(rows));
    Path page = docs.resolve("versions.md");
    String text = Files.readString(page);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    Files.writeString(
        page, text.substring(0, begin) + table(rows) + text.substring(text.indexOf(END)));
  }

  /** Passed and skipped tests by {@code hbase,java,tests}. */
  static Map<String, int[]> read(Path csv) throws IOException {
    Map<String, int[]> rows = new TreeMap<>();
    List<String> lines = Files.readAllLines(csv);
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",");
      rows.put(
          String.join(",", cells[0], cells[1], cells[2]),
          new int[] {Integer.parseInt(cells[3]), Integer.parseInt(cells[4])});
    }
    return rows;
  }

  /** The same of a directory of reports. A failure among them is none of the page's business. */
  private static Map<String, int[]> ofReports(Path directory) throws IOException {
    Map<String, int[]> rows = new TreeMap<>();
    if (!Files.isDirectory(directory)) {
      return rows;
    }
    List<Path> reports = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.filter(file -> file.toString().endsWith(".xml")).forEach(reports::add);
    }
    for (Path report : reports) {
      String xml = Files.readString(report);
      Matcher suite = SUITE.matcher(xml);
      if (!report.getFileName().toString().startsWith("TEST-") || !suite.find()) {
        continue;
      }
      if (number(suite.group(), "failures") + number(suite.group(), "errors") > 0) {
        throw new IOException("a test failed: " + report);
      }
      String tests =
          suite.group(1).endsWith("IT") ? "integration tests" : "unit and store-file tests";
      if (directory.endsWith("hbase-3-reports")) {
        tests = "store-file tests";
      }
      String key =
          String.join(
              ",",
              property(xml, "winnow.test.hbase"),
              property(xml, "java.specification.version"),
              tests);
      int[] counts = rows.computeIfAbsent(key, k -> new int[2]);
      int skipped = number(suite.group(), "skipped");
      counts[0] += number(suite.group(), "tests") - skipped;
      counts[1] += skipped;
    }
    return rows;
  }

  private static int number(String suite, String attribute) {
    Matcher matcher = Pattern.compile("\\b" + attribute + "=\"(\\d+)\"").matcher(suite);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  private static String property(String xml, String name) throws IOException {
    Matcher matcher =
        Pattern.compile("<property name=\"" + Pattern.quote(name) + "\" value=\"([^\"]*)\"")
            .matcher(xml);
    if (!matcher.find()) {
      throw new IOException("a report does not tell " + name);
    }
    return matcher.group(1);
  }

  static String csv(Map<String, int[]> rows) {
    StringBuilder csv = new StringBuilder(HEADER).append('\n');
    rows.forEach((key, counts) -> csv.append(key + "," + counts[0] + "," + counts[1]).append('\n'));
    return csv.toString();
  }

  static String table(Map<String, int[]> rows) {
    StringBuilder table = new StringBuilder();
    table.append("| HBase | Java | what was run | passed | skipped |\n");
    table.append("| --- | --- | --- | --- | --- |\n");
    rows.forEach(
        (key, counts) ->
            table.append(
                "| " + key.replace(",", " | ") + " | " + counts[0] + " | " + counts[1] + " |\n"));
    return table.toString();
  }
}

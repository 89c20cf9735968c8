package io.winnow.hbase.versions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which tests passed on which HBase and which Java, when, and at which commit: made from the
 * reports that the tests leave, and kept in {@code docs/versions.csv}. And which releases Winnow
 * links with: found by {@code ReleasesCheck}, kept in {@code docs/releases.csv}, and shown in
 * {@code docs/versions.md} with the tests that ran.
 *
 * <p>After a run, in the project's directory:
 *
 * <pre>
 *   java hbase-integration/swap/src/test/java/io/winnow/hbase/versions/VersionsTable.java
 * </pre>
 *
 * <p>A kind of tests gets a row if all of its classes ran and none failed. A run of single tests
 * leaves the row as it was, and so do reports that are older than the sources.
 */
public final class VersionsTable {
  static final String BEGIN_LINKS = "<!-- made by VersionsTable from ReleasesCheck -->\n";
  static final String END_LINKS = "<!-- end of releases -->\n";
  static final String UNIT = "unit and store-file tests";
  static final String STORE_FILES = "store-file tests";
  static final String INTEGRATION = "integration tests";
  static final String SERVERS = "tables and metrics on servers";

  private static final String SWAP = "swap";
  private static final String LAB = "lab";
  private static final String TESTS = "src/test/java";

  private static final List<String> REPORTS =
      List.of("surefire-reports", "hbase-3-reports", "failsafe-reports");

  /** Has a directory for each other HBase, and in there the reports. */
  private static final String OTHERS = "other-hbase";

  private static final String HEADER = "hbase,java,tests,day,commit,skips in";
  private static final Pattern SUITE =
      Pattern.compile("<testsuite [^>]*?\\bname=\"([^\"]+)\"[^>]*>", Pattern.DOTALL);

  /** Looks at the page and not at HBase: it fails until the first row of a version is there. */
  private static final String PAGE_TEST = "io.winnow.hbase.versions.VersionsPageTest";

  private VersionsTable() {}

  /** The rows are sorted by the first three. {@code skipsIn}: classes of which a test skipped. */
  record Row(String hbase, String java, String tests, String day, String commit, String skipsIn) {
    String key() {
      return hbase + "," + java + "," + tests;
    }

    List<String> cells() {
      return List.of(hbase, java, tests, day, commit, skipsIn);
    }
  }

  /**
   * A release of HBase that is linked against.
   *
   * @param server the version of hbase-server
   * @param rest the version of what stands beside it: of the nearest release, where a release's own
   *     cannot be had whole
   * @param mapreduce the version of hbase-mapreduce, likewise
   * @param off what is off, in the agent's words; or "nothing"
   */
  public record Release(String server, String rest, String mapreduce, String off) {
    private static final String HEADER = "hbase-server,the rest,hbase-mapreduce,off";

    public static List<Release> read(Path csv) throws IOException {
      List<String> lines = Files.readAllLines(csv);
      return lines.subList(1, lines.size()).stream()
          .map(line -> line.split(",", 4))
          .map(cell -> new Release(cell[0], cell[1], cell[2], cell[3]))
          .toList();
    }

    public static void write(Path csv, List<Release> releases) throws IOException {
      StringBuilder text = new StringBuilder(HEADER).append('\n');
      for (Release one : releases) {
        text.append(String.join(",", one.server, one.rest, one.mapreduce, one.off)).append('\n');
      }
      Files.writeString(csv, text);
    }

    /** "2.6" of 2.6.4-hadoop3. */
    private String line() {
      return server.replaceFirst("^(\\d+\\.\\d+).*", "$1");
    }

    public Release withOff(String found) {
      return new Release(server, rest, mapreduce, found);
    }

    @Override
    public String toString() {
      return server;
    }
  }

  /** The releases, with what ran on them; those of a line on which nothing ran are together. */
  static String links(List<Release> releases, Collection<Row> runs) {
    StringBuilder table = new StringBuilder();
    table.append("| hbase-server | off | ran |\n");
    table.append("| --- | --- | --- |\n");
    for (int first = 0, next; first < releases.size(); first = next) {
      Release one = releases.get(first);
      String ran = ran(one, runs);
      next = first + 1;
      while (ran.isEmpty()
          && next < releases.size()
          && releases.get(next).line().equals(one.line())
          && releases.get(next).off.equals(one.off)
          && ran(releases.get(next), runs).isEmpty()) {
        next++;
      }
      String last = releases.get(next - 1).server;
      String name = next == first + 1 ? last : one.server + " to " + last;
      table.append("| " + String.join(" | ", name, one.off, ran) + " |\n");
    }
    return table.toString().replace("|  |", "| |");
  }

  private static String ran(Release one, Collection<Row> runs) {
    return runs.stream()
        .filter(row -> row.hbase.equals(one.server))
        .map(row -> row.tests + " on Java " + row.java)
        .collect(Collectors.joining("; "));
  }

  /** Test classes by their full names: unit tests of the swap, integration tests of the lab. */
  record Classes(
      Set<String> unit, Set<String> storeFiles, Set<String> integration, Set<String> servers) {
    static Classes of(Path modules) throws IOException {
      Set<String> unit = named(modules.resolve(SWAP).resolve(TESTS), "Test.java");
      unit.remove(PAGE_TEST);
      String pom = Files.readString(modules.resolve(SWAP).resolve("pom.xml"));
      Set<String> storeFiles = new TreeSet<>();
      for (String simple : first("<winnow.hbase-3.tests>(.*?)<", pom).split(",")) {
        unit.stream().filter(name -> name.endsWith('.' + simple)).forEach(storeFiles::add);
      }
      Path tests = modules.resolve(LAB).resolve(TESTS);
      Set<String> integration = named(tests, "IT.java");
      for (String name : Set.copyOf(integration)) {
        if (isOfAProfile(Files.readString(tests.resolve(name.replace('.', '/') + ".java")))) {
          integration.remove(name);
        }
      }
      pom = Files.readString(modules.resolve(LAB).resolve("pom.xml"));
      Set<String> servers = new TreeSet<>();
      for (String simple : first("<winnow.server.tests>(.*?)<", pom).split(",")) {
        servers.add("io.winnow.hbase.it." + simple);
      }
      return new Classes(unit, storeFiles, integration, servers);
    }

    /** A class with a tag runs in a profile alone. */
    private static boolean isOfAProfile(String source) {
      return source.contains("\n@Tag(");
    }

    private static Set<String> named(Path tests, String end) throws IOException {
      try (Stream<Path> files = Files.walk(tests)) {
        return files
            .map(file -> tests.relativize(file).toString())
            .filter(file -> file.endsWith(end))
            .map(file -> file.replace(".java", "").replace('/', '.').replace('\\', '.'))
            .collect(Collectors.toCollection(TreeSet::new));
      }
    }
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path docs = Path.of("docs");
    Path modules = Path.of("hbase-integration");
    List<String> sources =
        List.of(
            "pom.xml",
            "filter-core/pom.xml",
            "filter-core/src",
            "hbase-integration/pom.xml",
            "hbase-integration/swap/pom.xml",
            "hbase-integration/swap/src",
            "hbase-integration/dedup/pom.xml",
            "hbase-integration/dedup/src",
            "hbase-integration/lab/pom.xml",
            "hbase-integration/lab/src");
    if (!git(sources, "status", "--porcelain").isEmpty()) {
      throw new IOException("commit first: the rows name the commit of the sources");
    }
    String commit = git(sources, "log", "-1", "--format=%h");
    Map<String, Row> rows = read(docs.resolve("versions.csv"));
    for (Path reports : reports(modules)) {
      for (Row row : rows(reports, Classes.of(modules), newest(sources), commit)) {
        rows.put(row.key(), row);
        if (row.tests.equals(UNIT)) {
          rows.remove(row.key().replace(UNIT, STORE_FILES));
        }
        System.out.println(String.join(" | ", row.cells()));
      }
    }
    Files.writeString(docs.resolve("versions.csv"), csv(rows.values()));
    Path found = modules.resolve(SWAP).resolve("target/releases/releases.csv");
    if (Files.exists(found)
        && !Files.getLastModifiedTime(found).toInstant().isBefore(newest(sources))) {
      Files.copy(found, docs.resolve("releases.csv"), StandardCopyOption.REPLACE_EXISTING);
    }
    List<Release> releases = Release.read(docs.resolve("releases.csv"));
    Path page = docs.resolve("versions.md");
    Files.writeString(page, shown(Files.readString(page), links(releases, rows.values())));
  }

  private static List<Path> reports(Path modules) throws IOException {
    List<Path> all = new ArrayList<>();
    for (String module : List.of(SWAP, LAB)) {
      Path target = modules.resolve(module).resolve("target");
      REPORTS.forEach(directory -> all.add(target.resolve(directory)));
      if (Files.isDirectory(target.resolve(OTHERS))) {
        try (Stream<Path> others = Files.list(target.resolve(OTHERS))) {
          for (Path other : (Iterable<Path>) others.sorted()::iterator) {
            REPORTS.forEach(directory -> all.add(other.resolve(directory)));
          }
        }
      }
    }
    return all;
  }

  private static String shown(String page, String table) {
    int from = page.indexOf(BEGIN_LINKS) + BEGIN_LINKS.length();
    return page.substring(0, from) + table + page.substring(page.indexOf(END_LINKS, from));
  }

  /** Rows by their keys. */
  static Map<String, Row> read(Path csv) throws IOException {
    List<String> lines = Files.readAllLines(csv);
    return lines.subList(1, lines.size()).stream()
        .map(line -> line.split(",", -1))
        .map(cell -> new Row(cell[0], cell[1], cell[2], cell[3], cell[4], cell[5]))
        .collect(Collectors.toMap(Row::key, Function.identity(), (a, b) -> b, TreeMap::new));
  }

  /** A test class that ran. */
  private record Report(String name, String hbase, String java, Instant time, boolean skips) {}

  /**
   * The rows of a directory of reports: of each kind of which every class ran after {@code since}.
   *
   * @throws IOException if a test failed
   */
  static List<Row> rows(Path directory, Classes classes, Instant since, String commit)
      throws IOException {
    Map<String, List<Report>> runs = new TreeMap<>();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          Report report = report(file);
          if (report != null && !report.time.isBefore(since)) {
            String run = report.hbase + ",Java " + report.java;
            runs.computeIfAbsent(run, any -> new ArrayList<>()).add(report);
          }
        }
      }
    }
    List<Row> rows = new ArrayList<>();
    runs.forEach(
        (run, reports) -> {
          Set<String> ran = reports.stream().map(Report::name).collect(Collectors.toSet());
          if (ran.containsAll(classes.unit)) {
            rows.add(row(UNIT, classes.unit, reports, commit));
          } else if (ran.containsAll(classes.storeFiles)) {
            rows.add(row(STORE_FILES, classes.storeFiles, reports, commit));
          } else if (ran.containsAll(classes.integration)) {
            rows.add(row(INTEGRATION, classes.integration, reports, commit));
          } else if (ran.containsAll(classes.servers)) {
            rows.add(row(SERVERS, classes.servers, reports, commit));
          } else {
            System.err.println("no row, not all classes of a kind ran: " + run + ", " + directory);
          }
        });
    return rows;
  }

  private static Row row(String kind, Set<String> classes, List<Report> all, String commit) {
    List<Report> reports = all.stream().filter(report -> classes.contains(report.name)).toList();
    Instant last = reports.stream().map(Report::time).max(Instant::compareTo).orElseThrow();
    String skipsIn =
        reports.stream()
            .filter(Report::skips)
            .map(report -> report.name.substring(report.name.lastIndexOf('.') + 1))
            .sorted()
            .collect(Collectors.joining(" "));
    Report any = reports.get(0);
    return new Row(any.hbase, any.java, kind, last.toString().substring(0, 10), commit, skipsIn);
  }

  private static Report report(Path file) throws IOException {
    String name = file.getFileName().toString();
    if (!name.startsWith("TEST-") || !name.endsWith(".xml")) {
      return null;
    }
    String xml = Files.readString(file);
    Matcher suite = SUITE.matcher(xml);
    if (!suite.find() || suite.group(1).equals(PAGE_TEST)) {
      return null;
    }
    if (number(suite.group(), "failures") + number(suite.group(), "errors") > 0) {
      throw new IOException("a test failed: " + file);
    }
    return new Report(
        suite.group(1),
        property(xml, "winnow.test.hbase"),
        property(xml, "java.specification.version"),
        Files.getLastModifiedTime(file).toInstant(),
        number(suite.group(), "skipped") > 0);
  }

  private static int number(String suite, String attribute) {
    Matcher matcher = Pattern.compile("\\b" + attribute + "=\"(\\d+)\"").matcher(suite);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  private static String property(String xml, String name) throws IOException {
    return first("<property name=\"" + Pattern.quote(name) + "\" value=\"([^\"]*)\"", xml);
  }

  private static String first(String pattern, String text) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    if (!matcher.find()) {
      throw new IOException("not found: " + pattern);
    }
    return matcher.group(1);
  }

  /** When a source was last changed, by an editor or by git. */
  private static Instant newest(List<String> sources) throws IOException {
    Instant newest = Instant.EPOCH;
    for (String source : sources) {
      try (Stream<Path> files = Files.walk(Path.of(source))) {
        for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
          Instant time = Files.getLastModifiedTime(file).toInstant();
          newest = time.isAfter(newest) ? time : newest;
        }
      }
    }
    return newest;
  }

  private static String git(List<String> paths, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    command.add("--");
    command.addAll(paths);
    Process git =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(git.getInputStream().readAllBytes()).strip();
    if (git.waitFor() != 0) {
      throw new IOException("failed: " + command);
    }
    return output;
  }

  static String csv(Collection<Row> rows) {
    StringBuilder csv = new StringBuilder(HEADER).append('\n');
    rows.forEach(row -> csv.append(String.join(",", row.cells())).append('\n'));
    return csv.toString();
  }
}

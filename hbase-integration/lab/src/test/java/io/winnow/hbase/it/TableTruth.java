package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.tools.ToolsDoor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.HFileLink;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * What must be true of a table after each step of its life: Gets and Scans find the rows that were
 * written last and no others, and {@code hfile -m}, {@code inspect --verify} and {@code audit}
 * agree about the filters of its files.
 *
 * <p>A row has a cell in each family. Its value tells which write it is of, so that a file which is
 * not asked shows, even if an older one has the row too.
 */
final class TableTruth {
  private static final int BATCH = 1000;

  /** Wrong answers that are told; there may be thousands. */
  private static final int TOLD = 10;

  private static final byte[] ABSENT_COLUMN = Bytes.toBytes("z");

  private static final String NO_FILTER = "none";
  private static final Pattern WINNOW_FILTER = Pattern.compile("Kind: Winnow ([a-z-]+)");
  private static final String GENERAL_FILTER = "\nBloom filter:";
  private static final String DELETE_FILTER = "\nDelete Family Bloom filter:";

  /** What the rows are, by their number. */
  private static final class Written {
    private final NavigableMap<Integer, byte[]> rows = new TreeMap<>();
    private int end;
    private int writes;

    private void put(int number, byte[] value) {
      rows.put(number, value);
      end = Math.max(end, number + 2);
    }
  }

  /**
   * The filters of a table's files, as all tools say.
   *
   * @param byFamily of each file one, sorted
   * @param left how many files have another filter than their family asks for
   */
  record Filters(Map<String, List<String>> byFamily, int left) {}

  private final Configuration conf;
  private final Connection connection;
  private final TableName table;
  private final Written written;

  private TableTruth(Configuration conf, Connection connection, TableName table, Written written) {
    this.conf = conf;
    this.connection = connection;
    this.table = table;
    this.written = written;
  }

  private TableTruth(TestServer server, TableName table, Written written) {
    this(server.configuration(), server.connection(), table, written);
  }

  /** Of a table that is empty. */
  static TableTruth of(TestServer server, TableName table) {
    return new TableTruth(server, table, new Written());
  }

  /** The same, in any cluster. */
  static TableTruth of(Configuration conf, Connection connection, TableName table) {
    return new TableTruth(conf, connection, table, new Written());
  }

  TableName table() {
    return table;
  }

  /** Of another table that has what this one has now. */
  TableTruth copy(TestServer server, TableName other) {
    Written copy = new Written();
    copy.rows.putAll(written.rows);
    copy.end = written.end;
    copy.writes = written.writes;
    return new TableTruth(server, other, copy);
  }

  /** Of another table that always has what this one has, whichever of them is written to. */
  TableTruth replica(TestServer server, TableName other) {
    return new TableTruth(server, other, written);
  }

  /** Writes the rows 2 * from to 2 * (to - 1), as {@link Rows#write} does, with new values. */
  void write(int from, int to) throws IOException {
    written.writes++;
    byte[] suffix = Bytes.toBytes(", write " + written.writes);
    try (Table open = connection.getTable(table)) {
      Set<byte[]> families = open.getDescriptor().getColumnFamilyNames();
      List<Put> puts = new ArrayList<>();
      for (int i = from; i < to; i++) {
        byte[] value = Bytes.add(Rows.value(2 * i), suffix);
        Put put = new Put(Rows.key(2 * i));
        families.forEach(family -> put.addColumn(family, Rows.QUALIFIER, value));
        puts.add(put);
        written.put(2 * i, value);
      }
      open.put(puts);
    }
  }

  /** Somebody else wrote these rows, with the values of {@link Rows#write}. */
  void wereWritten(int from, int to) {
    for (int i = from; i < to; i++) {
      written.put(2 * i, Rows.value(2 * i));
    }
  }

  /** Deletes whole rows. */
  void delete(int from, int to) throws IOException {
    List<Delete> deletes = new ArrayList<>();
    for (int i = from; i < to; i++) {
      deletes.add(new Delete(Rows.key(2 * i)));
      written.rows.remove(2 * i);
    }
    try (Table open = connection.getTable(table)) {
      open.delete(deletes);
    }
  }

  /** Gets and Scans find all rows with their last values, and nothing else. */
  void assertRows() throws IOException {
    assertEquals(List.of(), wrongAnswers(), "wrong answers of " + table);
  }

  boolean hasAllRows() throws IOException {
    return wrongAnswers().isEmpty();
  }

  private List<String> wrongAnswers() throws IOException {
    try (Table open = connection.getTable(table)) {
      Answers answers = new Answers(open.getDescriptor().getColumnFamilyNames());
      for (List<Get> batch : answers.batches()) {
        answers.compare(batch, List.of(open.get(batch)));
      }
      for (Part part : parts()) {
        try (ResultScanner scanner = open.getScanner(part.scan.setCaching(BATCH))) {
          answers.compare(part.rows, scanner.iterator());
        }
      }
      return answers.wrong;
    }
  }

  /** A scan, and the rows that it finds, in its order. */
  private record Part(Scan scan, Map<Integer, byte[]> rows) {}

  /**
   * A scan of all rows, and of each prefix and of a part of it, of some that no row has too, to and
   * fro.
   */
  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    parts.add(new Part(new Scan(), written.rows));
    for (int from = 0; from < written.end + Rows.PER_PREFIX; from += Rows.PER_PREFIX) {
      byte[] prefix = Arrays.copyOf(Rows.key(from), Rows.SCANNED_PREFIX_SIZE);
      byte[] next = new Scan().setStartStopRowForPrefixScan(prefix).getStopRow();
      addThereAndBack(parts, prefix, next, from, from + Rows.PER_PREFIX);
      int begin = from + Rows.PER_PREFIX / 5;
      int end = from + Rows.PER_PREFIX / 2;
      addThereAndBack(parts, Rows.key(begin), Rows.key(end), begin, end);
    }
    return parts;
  }

  private void addThereAndBack(List<Part> parts, byte[] start, byte[] stop, int from, int to) {
    NavigableMap<Integer, byte[]> rows = written.rows.subMap(from, true, to, false);
    parts.add(new Part(new Scan().withStartRow(start).withStopRow(stop), rows));
    Scan back = new Scan().setReversed(true).withStartRow(stop, false).withStopRow(start, true);
    parts.add(new Part(back, rows.descendingMap()));
  }

  /** The same of a replica of the table's regions, which is asked and no other. */
  boolean hasAllRowsIn(int replica) throws IOException, InterruptedException {
    return wrongAnswersOf(replica).isEmpty();
  }

  void assertRowsIn(int replica) throws IOException, InterruptedException {
    assertEquals(
        List.of(), wrongAnswersOf(replica), "wrong answers of " + table + ", replica " + replica);
  }

  private List<String> wrongAnswersOf(int replica) throws IOException, InterruptedException {
    try (Table open = connection.getTable(table);
        AsyncConnection async = ConnectionFactory.createAsyncConnection(conf).get()) {
      Answers answers = new Answers(open.getDescriptor().getColumnFamilyNames());
      AsyncTable<?> ofReplica = async.getTable(table);
      for (List<Get> batch : answers.batches()) {
        List<CompletableFuture<Result>> asked = new ArrayList<>();
        for (Get get : batch) {
          asked.add(ofReplica.get(get.setConsistency(Consistency.TIMELINE).setReplicaId(replica)));
        }
        List<Result> results = new ArrayList<>();
        for (CompletableFuture<Result> one : asked) {
          results.add(one.get());
        }
        assertEquals(
            replica != 0, results.stream().allMatch(Result::isStale), "a replica's answers say so");
        answers.compare(batch, results);
      }
      for (Part part : parts()) {
        Scan scan = part.scan.setConsistency(Consistency.TIMELINE).setReplicaId(replica);
        answers.compare(part.rows, ofReplica.scanAll(scan).get().iterator());
      }
      return answers.wrong;
    } catch (ExecutionException e) {
      throw new IOException("replica " + replica + " of " + table + " does not answer", e);
    }
  }

  /** Questions, and what came back that is not true. */
  private final class Answers {
    private final Set<byte[]> families;
    private final Map<String, byte[]> values = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();

    private Answers(Set<byte[]> families) {
      this.families = families;
      written.rows.forEach((number, value) -> values.put(Bytes.toString(Rows.key(number)), value));
    }

    /** For every row; for those between them; and for a column beside the one of each row. */
    private List<List<Get>> batches() {
      List<Get> gets = new ArrayList<>();
      for (int number = 0; number < written.end; number++) {
        gets.add(get(number, Rows.QUALIFIER));
        if (written.rows.containsKey(number)) {
          gets.add(get(number, ABSENT_COLUMN));
        }
      }
      List<List<Get>> batches = new ArrayList<>();
      for (int start = 0; start < gets.size(); start += BATCH) {
        batches.add(gets.subList(start, Math.min(gets.size(), start + BATCH)));
      }
      return batches;
    }

    private Get get(int number, byte[] qualifier) {
      Get get = new Get(Rows.key(number));
      families.forEach(family -> get.addColumn(family, qualifier));
      return get;
    }

    private void compare(List<Get> gets, List<Result> results) {
      for (int i = 0; i < results.size(); i++) {
        String row = Bytes.toString(gets.get(i).getRow());
        boolean isAbsent =
            gets.get(i).getFamilyMap().values().iterator().next().contains(ABSENT_COLUMN);
        compare("a Get of " + row, isAbsent ? null : values.get(row), results.get(i));
      }
    }

    private void compare(Map<Integer, byte[]> rows, Iterator<Result> scan) {
      rows.forEach(
          (number, value) -> {
            Result next = scan.hasNext() ? scan.next() : Result.EMPTY_RESULT;
            String row = Bytes.toString(Rows.key(number));
            if (!next.isEmpty() && !row.equals(Bytes.toString(next.getRow()))) {
              tell("a Scan has " + Bytes.toString(next.getRow()) + " in place of " + row);
            } else {
              compare("a Scan at " + row, value, next);
            }
          });
      if (scan.hasNext()) {
        tell("a Scan ends with " + Bytes.toString(scan.next().getRow()));
      }
    }

    private void compare(String what, byte[] expected, Result result) {
      if (expected == null) {
        if (!result.isEmpty()) {
          tell(what + " has " + result);
        }
        return;
      }
      for (byte[] family : families) {
        byte[] value = result.getValue(family, Rows.QUALIFIER);
        if (!Arrays.equals(expected, value)) {
          tell(
              "%s has in family %s %s and not %s"
                  .formatted(
                      what,
                      Bytes.toString(family),
                      value == null ? "nothing" : "'" + Bytes.toString(value) + "'",
                      "'" + Bytes.toString(expected) + "'"));
        }
      }
    }

    private void tell(String what) {
      if (wrong.size() < TOLD) {
        wrong.add(what);
      }
    }
  }

  /** The rows are right, and the files have these filters, so many not those that are asked for. */
  void assertHolds(int left, Map<String, List<String>> filters)
      throws IOException, InterruptedException {
    assertRows();
    assertFilters(left, filters);
  }

  /** The same of a table with one family, {@code f}. */
  void assertHolds(int left, String... filters) throws IOException, InterruptedException {
    assertHolds(left, Map.of("f", Stream.of(filters).sorted().toList()));
  }

  void assertFilters(int left, Map<String, List<String>> filters)
      throws IOException, InterruptedException {
    assertEquals(new Filters(filters, left), filters(), table.toString());
  }

  /**
   * A file of a store.
   *
   * @param bytes where its bytes are: of a link, and of a half that a split or a merge left, it is
   *     another file
   */
  private record StoreFile(String family, Path bytes, boolean isHalf) {}

  private List<RegionInfo> regions() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      return TestServer.regions(admin, table);
    }
  }

  /** Those of the regions that the table has now. */
  private List<StoreFile> files() throws IOException {
    Path directory = CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(conf), table);
    FileSystem fs = directory.getFileSystem(conf);
    List<StoreFile> files = new ArrayList<>();
    for (RegionInfo region : regions()) {
      for (FileStatus family : fs.listStatus(new Path(directory, region.getEncodedName()))) {
        if (family.isDirectory() && !family.getPath().getName().equals("recovered.edits")) {
          for (FileStatus file : fs.listStatus(family.getPath())) {
            String name = file.getPath().getName();
            if (file.isFile() && !name.startsWith(".")) {
              boolean isHalf = StoreFileInfo.isReference(name);
              Path whole =
                  isHalf ? StoreFileInfo.getReferredToFile(file.getPath()) : file.getPath();
              Path bytes =
                  HFileLink.isHFileLink(whole)
                      ? HFileLink.buildFromHFileLinkPattern(conf, whole).getAvailablePath(fs)
                      : whole;
              files.add(new StoreFile(family.getPath().getName(), bytes, isHalf));
            }
          }
        }
      }
    }
    return files;
  }

  /** What the tools say, which is the same. */
  private Filters filters() throws IOException, InterruptedException {
    List<StoreFile> files = files();
    Map<Path, String> printed = new HashMap<>();
    printed().forEach((file, text) -> printed.put(file, filterIn(text)));
    Map<Path, String> inspected = new HashMap<>();
    for (JsonNode file : inspect()) {
      JsonNode filter = file.get("general");
      inspected.put(
          new Path(file.get("file").asText()),
          filter == null ? NO_FILTER : filter.get("filter").asText());
    }
    assertEquals(printed, inspected, "hfile -m, and inspect");
    Map<String, List<String>> byFamily = new TreeMap<>();
    files.forEach(file -> add(byFamily, file.family(), printed.get(file.bytes())));
    Map<String, List<String>> audited = new TreeMap<>();
    JsonNode audit = audit();
    for (JsonNode group : audit.get("groups")) {
      for (int i = 0; i < group.get("files").asInt(); i++) {
        add(audited, group.get("family").asText(), filter(group));
      }
    }
    if (files.stream().anyMatch(StoreFile::isHalf)) {
      // A file of which there are halves may be counted otherwise.
      assertEquals(distinct(byFamily), distinct(audited), "hfile -m, and audit");
    } else {
      assertEquals(byFamily, audited, "hfile -m, and audit");
    }
    return new Filters(byFamily, audit.get("filesNotAsAsked").asInt());
  }

  private static void add(Map<String, List<String>> filters, String family, String filter) {
    List<String> ofFamily = filters.computeIfAbsent(family, name -> new ArrayList<>());
    ofFamily.add(filter);
    Collections.sort(ofFamily);
  }

  private static Map<String, Set<String>> distinct(Map<String, List<String>> filters) {
    Map<String, Set<String>> distinct = new TreeMap<>();
    filters.forEach((family, all) -> distinct.put(family, new TreeSet<>(all)));
    return distinct;
  }

  /** The filter of a group; a group may also name its keys, after it. */
  private static String filter(JsonNode group) {
    return group.get("filter").asText().split(" ")[0];
  }

  /** What {@code hbase hfile -m} prints of each file. */
  Map<Path, String> printed() throws IOException {
    Map<Path, String> all = new LinkedHashMap<>();
    for (StoreFile file : files()) {
      all.put(file.bytes(), printed(conf, file.bytes()));
    }
    return all;
  }

  static String printed(Configuration conf, Path file) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream text = new PrintStream(out, true, StandardCharsets.UTF_8);
    HFilePrettyPrinter printer = new HFilePrettyPrinter(new Configuration(conf));
    printer.setPrintStreams(text, text);
    int code = printer.run(new String[] {"-m", "-f", file.toString()});
    String printed = out.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, printed);
    return printed;
  }

  private static String filterIn(String printed) {
    int start = printed.indexOf(GENERAL_FILTER);
    String filter = printed.substring(start, printed.indexOf(DELETE_FILTER, start));
    Matcher ours = WINNOW_FILTER.matcher(filter);
    if (ours.find()) {
      return ours.group(1);
    }
    if (filter.contains("Not present")) {
      return NO_FILTER;
    }
    return filter.contains("BloomSize: ") ? EveryFilter.STOCK : filter;
  }

  /** Reads every cell of every file and asks the filters for it: none is denied. */
  JsonNode inspect() throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("inspect", "--verify", "--no-chunks"));
    files().stream().map(file -> file.bytes().toString()).distinct().forEach(arguments::add);
    JsonNode files = json(ToolsDoor.DONE, arguments.toArray(String[]::new));
    for (JsonNode file : files) {
      JsonNode verified = file.get("verified");
      assertEquals(0, verified.get("denied").asLong(), file.toString());
      assertEquals(file.get("cells").asLong(), verified.get("cells").asLong(), file.toString());
      JsonNode general = file.get("general");
      if (general != null) {
        assertEquals(verified.get("keys").asLong(), general.get("keys").asLong(), file.toString());
      }
    }
    return files;
  }

  /** What {@code audit} says, with the exit codes that go with it. */
  private JsonNode audit() throws IOException, InterruptedException {
    java.nio.file.Path file = scratch();
    try {
      ToolsDoor.Ran ran =
          ToolsDoor.run(conf, "audit", table.getNameAsString(), "--json", file.toString());
      JsonNode audit = new ObjectMapper().readTree(Files.readString(file));
      boolean nothingLeft = audit.get("filesNotAsAsked").asInt() == 0;
      assertEquals(nothingLeft ? ToolsDoor.DONE : ToolsDoor.FOUND, ran.code(), ran.toString());
      assertEquals(nothingLeft, audit.get("nothingLeft").asBoolean(), audit.toString());
      assertEquals(0, audit.get("wrongSettings").size(), audit.toString());
      int files = 0;
      int ours = 0;
      int left = 0;
      for (JsonNode group : audit.get("groups")) {
        String filter = filter(group);
        boolean isOurs = !filter.equals(EveryFilter.STOCK) && !filter.equals(NO_FILTER);
        files += group.get("files").asInt();
        ours += isOurs ? group.get("files").asInt() : 0;
        left += group.get("notAsAsked").asInt();
      }
      assertEquals(files, audit.get("files").asInt(), audit.toString());
      assertEquals(ours, audit.get("filesThatNeedTheAgent").asInt(), audit.toString());
      assertEquals(left, audit.get("filesNotAsAsked").asInt(), audit.toString());
      boolean mayRemove =
          nothingLeft && ours == 0 && audit.get("familiesThatAskForWinnow").asInt() == 0;
      assertEquals(
          mayRemove ? ToolsDoor.DONE : ToolsDoor.FOUND,
          ToolsDoor.run(conf, "audit", table.getNameAsString(), "--before-removal").code());
      return audit;
    } finally {
      Files.delete(file);
    }
  }

  private JsonNode json(int code, String... arguments) throws IOException, InterruptedException {
    java.nio.file.Path file = scratch();
    try {
      String[] all = Arrays.copyOf(arguments, arguments.length + 2);
      all[arguments.length] = "--json";
      all[arguments.length + 1] = file.toString();
      ToolsDoor.Ran ran = ToolsDoor.run(conf, all);
      assertEquals(code, ran.code(), ran.toString());
      JsonNode json = new ObjectMapper().readTree(Files.readString(file));
      assertFalse(json.size() == 0, ran.toString());
      return json;
    } finally {
      Files.delete(file);
    }
  }

  private static java.nio.file.Path scratch() throws IOException {
    java.nio.file.Path directory = java.nio.file.Path.of(System.getProperty("winnow.it.directory"));
    Files.createDirectories(directory);
    return Files.createTempFile(directory, "truth", ".json");
  }
}

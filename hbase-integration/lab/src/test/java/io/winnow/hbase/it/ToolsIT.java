package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.tools.ToolsDoor;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** The operator's tools as an operator has them: HBase's class path, and winnow-hbase.jar. */
class ToolsIT {
  private static final String WINNOW = "io.winnow.hbase.tools.Winnow";
  private static final int ROWS = 2000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static String run(String mainClass, String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of(mainClass));
    all.addAll(List.of(args));
    JavaProcess.Result result =
        JavaProcess.withAgent(JavaProcess.classPath()).run(all.toArray(String[]::new));
    assertEquals(0, result.exitCode(), result.toString());
    return result.output();
  }

  /** In this JVM, which has the agent and the same class path. */
  private static String runHere(String... args) throws Exception {
    ToolsDoor.Ran ran = ToolsDoor.run(HBaseConfiguration.create(), args);
    assertEquals(ToolsDoor.DONE, ran.code(), ran.toString());
    return ran.out();
  }

  /** From kind to kind and back to HBase's own: each file is what it was, byte by byte. */
  @Test
  void filesComeBackAsTheyWere() throws Exception {
    Path directory = TestServer.emptyDirectory("tools");
    Path stock = Files.createDirectories(directory.resolve("bloom"));
    List<String> names = write(stock);
    Path from = stock;
    for (String filter : List.of("ribbon", "quotient", "bumped-ribbon", "none")) {
      Path to = Files.createDirectories(directory.resolve(filter));
      String[] convert = {"convert", from.toString(), to.toString(), "--filter", filter};
      String told = filter.equals("ribbon") ? run(WINNOW, convert) : runHere(convert);
      assertEquals(
          names.size(),
          told.lines().filter(line -> line.contains(" -> " + filter + ",")).count(),
          told);
      from = to;
    }
    Path back = Files.createDirectories(directory.resolve("back"));
    run(
        WINNOW,
        "convert",
        directory.resolve("bumped-ribbon").toString(),
        back.toString(),
        "--filter",
        "bloom");
    for (String name : names) {
      assertArrayEquals(
          Files.readAllBytes(stock.resolve(name)), Files.readAllBytes(back.resolve(name)), name);
    }
    Path inspected = directory.resolve("inspected.json");
    JavaProcess.Result verified =
        withoutAgent(
            "inspect",
            "--verify",
            "--no-chunks",
            directory.resolve("ribbon").toString(),
            directory.resolve("quotient").toString(),
            directory.resolve("bumped-ribbon").toString(),
            "--json",
            inspected.toString());
    assertEquals(
        3L * names.size(),
        verified.output().lines().filter(line -> line.contains("000 cells read, ")).count(),
        verified.output());
    for (JsonNode file : JSON.readTree(inspected.toFile())) {
      assertEquals(0, file.get("verified").get("denied").asInt(), file.toString());
    }
    Path advised = directory.resolve("advised.json");
    withoutAgent("advise", stock.toString(), "--json", advised.toString());
    assertEquals(names.size(), JSON.readTree(advised.toFile()).get("files").asInt());
  }

  /** Where nobody says otherwise, a file's own rule counts; HBase's own tool shows it. */
  @Test
  void convertKeepsPrefixes() throws Exception {
    Path directory = TestServer.emptyDirectory("tools-prefixes");
    String from = directory.resolve(write(directory).get(0)).toString();
    List<String> filters = List.of("ribbon", "quotient", "bumped-ribbon");
    for (String filter : filters) {
      String to = directory.resolve(filter).toString();
      List<String> command = new ArrayList<>(List.of("convert", from, to, "--filter", filter));
      if (filter.equals("ribbon")) {
        command.add("-Dwinnow.scan.prefix=10");
      }
      runHere(command.toArray(String[]::new));
      from = to;
    }
    long prefixes = 3L * ROWS / 100;
    Path inspected = directory.resolve("inspected.json");
    List<String> inspect = new ArrayList<>(List.of("inspect", "--verify"));
    filters.forEach(filter -> inspect.add(directory.resolve(filter).toString()));
    inspect.addAll(List.of("--json", inspected.toString()));
    withoutAgent(inspect.toArray(String[]::new));
    JsonNode all = JSON.readTree(inspected.toFile());
    assertEquals(filters.size(), all.size());
    for (int i = 0; i < filters.size(); i++) {
      String filter = filters.get(i);
      JsonNode seen = all.get(i);
      assertEquals(filter, seen.get("general").get("filter").asText());
      assertEquals("10", seen.get("general").get("prefixRule").asText(), filter);
      assertEquals(prefixes, seen.get("general").get("prefixes").asLong(), filter);
      assertEquals(0, seen.get("verified").get("denied").asInt(), filter);
      var file = new org.apache.hadoop.fs.Path(directory.resolve(filter).toUri());
      String meta = TableTruth.printed(HBaseConfiguration.create(), file);
      String told = "Prefixes: the first 10 bytes, " + prefixes + " beside the keys";
      assertTrue(meta.contains(told), meta);
    }
  }

  private static JavaProcess.Result withoutAgent(String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of(WINNOW));
    all.addAll(List.of(args));
    JavaProcess.Result result =
        JavaProcess.with(
                "-Xmx128m",
                "-cp",
                TestServer.agentJar() + File.pathSeparator + JavaProcess.classPath())
            .run(all.toArray(String[]::new));
    assertEquals(0, result.exitCode(), result.toString());
    return result;
  }

  private static List<String> write(Path directory) throws IOException {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", "file:///");
    FileSystem fs = FileSystem.getLocal(conf);
    List<String> names = new ArrayList<>();
    byte[] family = Bytes.toBytes("f");
    for (BloomType type : List.of(BloomType.ROW, BloomType.ROWCOL)) {
      for (DataBlockEncoding encoding : DataBlockEncoding.values()) {
        String name = String.format(Locale.ROOT, "%032x", names.size());
        names.add(name);
        StoreFileWriter writer =
            new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, fs)
                .withFilePath(new org.apache.hadoop.fs.Path(directory.resolve(name).toUri()))
                .withBloomType(type)
                .withMaxKeyCount(2 * ROWS)
                .withFileContext(
                    new HFileContextBuilder()
                        .withColumnFamily(family)
                        .withCellComparator(CellComparator.getInstance())
                        .withBlockSize(64 << 10)
                        .withCompression(Compression.Algorithm.GZ)
                        .withDataBlockEncoding(encoding)
                        .withIncludesTags(true)
                        .withCompressTags(true)
                        .build())
                .build();
        for (int i = 0; i < ROWS; i++) {
          for (String column : List.of("a", "b")) {
            writer.append(
                new KeyValue(
                    Bytes.toBytes(String.format(Locale.ROOT, "row-%08d", 3 * i)),
                    family,
                    Bytes.toBytes(column),
                    i,
                    Bytes.toBytes("value " + i),
                    new Tag[] {new ArrayBackedTag((byte) 70, Bytes.toBytes("tag " + i % 9))}));
          }
        }
        writer.appendMetadata(7, false);
        writer.close();
      }
    }
    return names;
  }
}

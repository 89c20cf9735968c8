package io.winnow.hbase.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;

/** The table {@code t} of one region and the family {@code f}, and tools that are run on it. */
final class ToolsTable {
  static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String PREFIX = "10";

  private ToolsTable() {}

  /** The document that a tool writes. */
  static JsonNode json(Path directory, Configuration conf, int code, String... args)
      throws IOException, InterruptedException {
    Path file = directory.resolve("outcome.json");
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--json";
    all[args.length + 1] = file.toString();
    ToolsDoor.Ran ran = ToolsDoor.run(conf, all);
    assertEquals(code, ran.code(), ran.toString());
    return new ObjectMapper().readTree(Files.readString(file));
  }

  static ColumnFamilyDescriptor family(BloomType type, Map<String, String> conf) {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(type);
    family.setConfiguration(BloomFilterUtil.PREFIX_LENGTH_KEY, PREFIX);
    conf.forEach(family::setConfiguration);
    return family.build();
  }

  static TestRegion region(Path root, ColumnFamilyDescriptor family) throws IOException {
    return region(root, "t", family, Map.of());
  }

  static TestRegion region(
      Path root, String table, ColumnFamilyDescriptor family, Map<String, String> site)
      throws IOException {
    TestRegion region = new TestRegion(root, table, family, site);
    describe(root, region.configuration(), region.descriptor());
    return region;
  }

  /** As a master would: the descriptor stands beside the regions. */
  static void describe(Path root, Configuration conf, TableDescriptor descriptor)
      throws IOException {
    org.apache.hadoop.fs.Path table =
        CommonFSUtils.getTableDir(
            new org.apache.hadoop.fs.Path(root.toUri()), descriptor.getTableName());
    FSTableDescriptors.createTableDescriptorForTableDirectory(
        table.getFileSystem(conf), table, descriptor, true);
  }

  static void alter(Path root, TestRegion region, ColumnFamilyDescriptor family)
      throws IOException {
    region.alter(family);
    describe(root, region.configuration(), region.descriptor());
  }

  /** Spread over the key space, so that all files have the whole of it. */
  static byte[] row(int i) {
    return Bytes.toBytes(HexFormat.of().toHexDigits(Integer.reverse(i)) + "-" + i);
  }

  /** A file of rows with two cells each. */
  static void put(TestRegion region, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      Put put = new Put(row(i));
      for (String column : new String[] {"p", "q"}) {
        put.addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes("v" + i));
      }
      region.region().put(put);
    }
    region.region().flush(true);
  }

  static Path onlyFile(TestRegion region) {
    assertEquals(1, region.files().size());
    return local(region.files().iterator().next().getPath());
  }

  static Path local(org.apache.hadoop.fs.Path path) {
    return Path.of(path.toUri().getPath());
  }

  /** How the encoded name of a table's region is part of its files' names. */
  static TableName name(TestRegion region) {
    return region.descriptor().getTableName();
  }

  static org.apache.hadoop.fs.Path path(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  /** With values, tags and sequence ids. */
  static List<String> cells(Configuration conf, Path file) throws IOException {
    List<String> cells = new ArrayList<>();
    try (HFile.Reader reader =
        HFile.createReader(
            path(file).getFileSystem(conf), path(file), CacheConfig.DISABLED, true, conf)) {
      HFileScanner scanner = reader.getScanner(conf, false, false, false);
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        ExtendedCell cell = (ExtendedCell) scanner.getCell();
        cells.add(
            Bytes.toStringBinary(KeyValueUtil.copyToNewByteArray(cell))
                + " "
                + cell.getSequenceId());
      }
    }
    return cells;
  }
}

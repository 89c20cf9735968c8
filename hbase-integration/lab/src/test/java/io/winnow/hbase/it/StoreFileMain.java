package io.winnow.hbase.it;

import java.io.DataInput;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;

/** Writes a store file of a family that asks for a Winnow filter, and tells which one it got. */
public final class StoreFileMain {
  private StoreFileMain() {}

  /**
   * Prints one line: the version of the filter, and the class that reads it.
   *
   * @param arguments none, or a file that is overwritten first, and the one whose bytes it gets
   */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 0) {
      byte[] other = Files.readAllBytes(java.nio.file.Path.of(arguments[1]));
      Files.write(java.nio.file.Path.of(arguments[0]), other); // in place, as cp does
    }
    Configuration site = new Configuration();
    site.set("fs.defaultFS", "file:///");
    Configuration conf =
        new CompoundConfiguration()
            .add(site)
            .addStringMap(Map.of("winnow.filter", "bumped-ribbon"));
    byte[] family = Bytes.toBytes("f");
    java.nio.file.Path directory = Files.createTempDirectory("winnow-store-file");
    Path path = new Path(directory.resolve("f").resolve("0123456789abcdef").toUri());
    FileSystem fs = FileSystem.getLocal(conf).getRaw();
    try {
      StoreFileWriter writer =
          new StoreFileWriter.Builder(conf, new CacheConfig(conf), fs)
              .withFilePath(path)
              .withBloomType(BloomType.ROW)
              .withFileContext(
                  new HFileContextBuilder()
                      .withColumnFamily(family)
                      .withCellComparator(CellComparator.getInstance())
                      .build())
              .build();
      for (int i = 100; i < 900; i++) {
        writer.append(new KeyValue(Bytes.toBytes("row" + i), family, family, 1L, family));
      }
      writer.close();
      try (HFile.Reader reader = HFile.createReader(fs, path, new CacheConfig(conf), true, conf)) {
        DataInput meta = reader.getGeneralBloomFilterMetadata();
        int version = meta.readInt();
        Object filter =
            BloomFilterFactory.createFromMeta(reader.getGeneralBloomFilterMetadata(), reader, null);
        System.out.println(
            (version == TestServer.WINNOW ? "WIN1" : version)
                + " "
                + filter.getClass().getSimpleName());
      }
    } finally {
      fs.delete(new Path(directory.toUri()), true);
    }
  }
}

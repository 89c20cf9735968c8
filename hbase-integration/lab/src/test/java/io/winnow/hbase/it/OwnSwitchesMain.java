package io.winnow.hbase.it;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;

/** Says which of our features are on that weave nothing. */
final class OwnSwitchesMain {
  private OwnSwitchesMain() {}

  public static void main(String[] arguments) throws Exception {
    System.out.println("short-cut: " + isShortCut());
    Field metrics = Class.forName("io.winnow.hbase.read.ScanMetrics").getDeclaredField("PRESENT");
    metrics.setAccessible(true);
    System.out.println("scan-metrics: " + metrics.get(null));
  }

  /** Whether a file whose blocks the LRU cache has is asked by the short cut. */
  private static boolean isShortCut() throws Exception {
    Configuration conf = HBaseConfiguration.create();
    FileSystem files = FileSystem.getLocal(conf);
    Path path = new Path(Files.createTempDirectory("short-cut").toUri().toString(), "file");
    CacheConfig cache = new CacheConfig(conf, BlockCacheFactory.createBlockCache(conf));
    try (HFile.Writer writer =
        HFile.getWriterFactory(conf, cache)
            .withPath(files, path)
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      byte[] row = {1};
      writer.append(new KeyValue(row, row, row, 1L, row));
    }
    Method of =
        Class.forName("io.winnow.hbase.read.CacheWatch")
            .getDeclaredMethod("of", HFile.Reader.class);
    of.setAccessible(true);
    try (HFile.Reader reader = HFile.createReader(files, path, cache, true, conf)) {
      return of.invoke(null, reader) != null;
    } finally {
      files.delete(path.getParent(), true);
    }
  }
}

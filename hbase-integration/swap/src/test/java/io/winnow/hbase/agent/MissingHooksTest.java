package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Woven classes beside hooks that cannot be loaded: HBase's own code goes on. */
class MissingHooksTest {
  private final ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.of("f");
  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).setColumnFamily(family).build();

  @Test
  void storeIsConfiguredWithoutTheLayerOfSystemTables() throws ReflectiveOperationException {
    Configuration site = new Configuration(false);
    site.set("a", "b");
    Object conf =
        WithoutHooks.load(WovenFactory.row("StoreUtils").target())
            .getMethod(
                "createStoreConfiguration",
                Configuration.class,
                TableDescriptor.class,
                ColumnFamilyDescriptor.class)
            .invoke(null, site, table, family);
    assertEquals("b", assertInstanceOf(CompoundConfiguration.class, conf).get("a"));
  }

  @Test
  void tableIsCheckedByHBaseAlone() throws ReflectiveOperationException {
    WithoutHooks.load(WovenFactory.row("TableDescriptorChecker").target())
        .getMethod("sanityCheck", Configuration.class, TableDescriptor.class)
        .invoke(null, new Configuration(), table);
  }

  @Test
  void serverStartsWithoutOurMetrics() {
    Constructor<?> constructor =
        WithoutHooks.load(WovenFactory.row("MetricsRegionServerWrapperImpl").target())
            .getDeclaredConstructors()[0];
    constructor.setAccessible(true);
    Throwable failure =
        assertThrows(
            InvocationTargetException.class, () -> constructor.newInstance(new Object[] {null}));
    // HBase's own code has come to the server that it was not given.
    assertEquals(NullPointerException.class, failure.getCause().getClass());
  }

  @Test
  void serverPutsUpItsPagesWithoutOurs() throws ReflectiveOperationException {
    Class<?> type = WithoutHooks.load(WovenFactory.row("HRegionServer").target());
    Class<?> allocator = Class.forName("sun.misc.Unsafe");
    Field theOne = allocator.getDeclaredField("theUnsafe");
    theOne.setAccessible(true);
    Object server =
        allocator.getMethod("allocateInstance", Class.class).invoke(theOne.get(null), type);
    Method pages = type.getDeclaredMethod("configureInfoServer");
    pages.setAccessible(true);
    Throwable failure = assertThrows(InvocationTargetException.class, () -> pages.invoke(server));
    // HBase's own code has come to the web server that this one has not.
    assertEquals(NullPointerException.class, failure.getCause().getClass());
  }

  /** SplitFilesTest has the tool that splits. */
  @Test
  void jobOfABulkLoadWritesItsFiles(@TempDir Path directory) throws Exception {
    Class<?> format = WithoutHooks.load(WovenFactory.row("HFileOutputFormat2").target());
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    // There is no server that could say where a region is.
    conf.setBoolean("hbase.bulkload.locality.sensitive.enabled", false);
    Job job = Job.getInstance(conf);
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(directory.toUri()));
    format
        .getMethod("configureIncrementalLoadMap", Job.class, TableDescriptor.class)
        .invoke(null, job, table);
    assertEquals(format.getName(), job.getOutputFormatClass().getName());

    OutputFormat<?, ?> output = (OutputFormat<?, ?>) format.getDeclaredConstructor().newInstance();
    TaskAttemptContext task =
        new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID());
    @SuppressWarnings("unchecked") // as HFileOutputFormat2 declares it
    RecordWriter<ImmutableBytesWritable, Cell> writer =
        (RecordWriter<ImmutableBytesWritable, Cell>) output.getRecordWriter(task);
    byte[] row = {1};
    writer.write(
        new ImmutableBytesWritable(row), new KeyValue(row, family.getName(), row, 1L, row));
    writer.close(task);
    try (Stream<Path> files = Files.walk(directory)) {
      assertEquals(
          1,
          files
              .filter(file -> file.getParent().endsWith(family.getNameAsString()))
              .filter(file -> !file.getFileName().toString().endsWith(".crc"))
              .count());
    }
  }

  @Test
  void scannerGoesOnAfterEachOfItsCalls() throws ReflectiveOperationException {
    Map<String, Integer> called = new HashMap<>();
    for (Method method : WithoutHooks.load(StoreFileScannerWeaver.TARGET).getDeclaredMethods()) {
      String name = method.getName();
      if (name.startsWith("winnow$") && !name.endsWith("AtOrAfter")) {
        Object[] arguments = new Object[method.getParameterCount()];
        if (method.getParameterTypes()[0] == boolean.class) {
          arguments[0] = true;
        }
        method.setAccessible(true);
        assertNull(method.invoke(null, arguments));
        called.merge(name, 1, Integer::sum);
      }
    }
    assertEquals(6, called.size(), called.toString());
  }

  @Test
  void scanIsAskedAboutByHBaseAlone() throws ReflectiveOperationException {
    Class<?> type = WithoutHooks.load(StoreFileReaderWeaver.TARGET);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object reader = constructor.newInstance();
    Field kind = type.getDeclaredField("bloomFilterType");
    kind.setAccessible(true);
    kind.set(reader, BloomType.ROW);
    Method passes = type.getDeclaredMethod("passesBloomFilter", Scan.class, SortedSet.class);
    passes.setAccessible(true);
    assertEquals(true, passes.invoke(reader, new Scan(), null));
  }
}

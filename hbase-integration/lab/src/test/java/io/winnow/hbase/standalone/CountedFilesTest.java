package io.winnow.hbase.standalone;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountedFilesTest {
  @TempDir Path directory;

  private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();
  private static final Path IO_OF_PROCESS = Path.of("/proc/self/io");

  private static void set(String attribute, Object value) throws Exception {
    BEANS.setAttribute(new ObjectName(CountedFiles.BEAN), new Attribute(attribute, value));
  }

  @AfterEach
  void reset() throws Exception {
    set("DelayNanos", 0L);
    set("Direct", false);
  }

  @Test
  void positionalReadsAreCountedDelayedAndDirectAsTheBeanSays() throws Exception {
    byte[] content = new byte[100_003];
    new Random(1).nextBytes(content);
    Path file = Files.write(directory.resolve("file"), content);
    CountedFiles files = new CountedFiles();
    files.initialize(URI.create("file:///"), new Configuration(false));
    long reads = CountedFiles.reads();
    long bytes = CountedFiles.bytes();
    byte[] read = new byte[70_000];
    try (FSDataInputStream in = files.open(new org.apache.hadoop.fs.Path(file.toUri()))) {
      for (boolean isDirect : new boolean[] {false, true}) {
        set("Direct", isDirect);
        for (int position : new int[] {0, 1, 4_095, 4_096, 30_003, 99_999}) {
          int count = in.read(position, read, 0, read.length);
          assertEquals(Math.min(read.length, content.length - position), count, "" + isDirect);
          assertArrayEquals(
              Arrays.copyOfRange(content, position, position + count), Arrays.copyOf(read, count));
        }
        assertEquals(-1, in.read(content.length, read, 0, 1), "" + isDirect);
      }
      assertEquals(14, CountedFiles.reads() - reads);
      assertEquals(
          14L, (long) BEANS.getAttribute(new ObjectName(CountedFiles.BEAN), "Reads") - reads);
      assertEquals(2 * (5 * 70_000 + 4), CountedFiles.bytes() - bytes);
      set("DelayNanos", 30_000_000L);
      long start = System.nanoTime();
      in.read(0, read, 0, 1);
      assertTrue(System.nanoTime() - start >= 30_000_000L, "it waited");
    }
  }

  private static long bytesFromDrives() throws IOException {
    String label = "read_bytes: ";
    return Files.readAllLines(IO_OF_PROCESS).stream()
        .filter(line -> line.startsWith(label))
        .mapToLong(line -> Long.parseLong(line.substring(label.length())))
        .findFirst()
        .orElseThrow();
  }

  /** The page cache has a file that was just written; Linux counts what comes from drives. */
  @Test
  void directReadsComeFromTheDriveThoughThePageCacheHasTheFile() throws Exception {
    assumeTrue(Files.isReadable(IO_OF_PROCESS), "this system does not count reads of drives");
    assumeFalse(Files.getFileStore(directory).type().equals("tmpfs"), "the file is in memory");
    byte[] content = new byte[16 << 20];
    Path file = Files.write(directory.resolve("file"), content);
    CountedFiles files = new CountedFiles();
    files.initialize(URI.create("file:///"), new Configuration(false));
    try (FSDataInputStream in = files.open(new org.apache.hadoop.fs.Path(file.toUri()))) {
      long before = bytesFromDrives();
      assertEquals(content.length, in.read(0, content, 0, content.length));
      // This JVM may have loaded a class meanwhile.
      assertTrue(bytesFromDrives() - before < content.length / 2, "from the page cache");
      set("Direct", true);
      before = bytesFromDrives();
      assertEquals(content.length, in.read(0, content, 0, content.length));
      assertTrue(bytesFromDrives() - before >= content.length, "from the drive");
    }
  }
}

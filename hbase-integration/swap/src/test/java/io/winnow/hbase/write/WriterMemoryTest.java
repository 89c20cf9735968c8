package io.winnow.hbase.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.UsedHeap;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an open writer holds, and what one build takes: a server has many of the first. */
class WriterMemoryTest {
  private static final int WRITERS = 12;
  private static final int KEYS = 250_000;
  private static final long MOST_HELD = 2_000_000;
  private static final int MOST_BYTES_PER_KEY_OF_A_BUILD = 60;
  private static final long MOST_OF_A_BUILD = 256L << 20;

  private static WinnowChunkWriter writer(String filter, int chunkBytes, int keys)
      throws WrongSettingException {
    Configuration conf = HBaseConfiguration.create();
    conf.set(Setting.FILTER.key, filter);
    conf.setInt("io.storefile.bloom.block.size", chunkBytes);
    KeyKind kind = KeyKind.ROW;
    WinnowChunkWriter writer =
        WinnowChunkWriter.of(WinnowSettings.of(conf, kind), kind, false, "none", 0, Long.MAX_VALUE);
    for (int i = 0; i < keys; i++) {
      writer.append(StoreFiles.put(StoreFiles.row(i), "q"));
    }
    assertEquals(keys, writer.getKeyCount());
    return writer;
  }

  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "bumped-ribbon", "quotient"})
  void anOpenWriterHoldsItsHashesAndLittleElse(String filter) throws Exception {
    writer(filter, 128 << 10, KEYS); // loads classes, and makes the scratch that builds share
    long before = UsedHeap.bytes();
    List<WinnowChunkWriter> open = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      open.add(writer(filter, 128 << 10, KEYS));
    }
    long held = (UsedHeap.bytes() - before) / open.size();
    assertTrue(held <= MOST_HELD, held + " bytes held by a writer of " + KEYS + " keys");
    assertTrue(held >= 8L * KEYS / 4, held + " bytes: that cannot be");
  }

  /** The limit of a chunk's keys, whatever its bytes, is the limit of a build's memory. */
  @ParameterizedTest
  @ValueSource(strings = {"ribbon", "bumped-ribbon", "quotient"})
  void aBuildTakesABoundedShareOfTheHeap(String filter) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.set(Setting.FILTER.key, filter);
    conf.setInt("io.storefile.bloom.block.size", 64 << 20);
    long limit = WinnowSettings.of(conf, KeyKind.ROW).keyLimit();
    assertTrue(limit * MOST_BYTES_PER_KEY_OF_A_BUILD <= MOST_OF_A_BUILD, limit + " keys");

    int keys = 600_000;
    WinnowChunkWriter writer = writer(filter, 64 << 20, keys);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    writer.compactBloom();
    long taken = threads.getThreadAllocatedBytes(thread) - before;
    assertTrue(taken <= (long) keys * MOST_BYTES_PER_KEY_OF_A_BUILD, taken + " bytes taken");
  }
}

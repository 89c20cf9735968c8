package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.winnow.TestHashes;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.drive.FlashCounters;
import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a buffer becomes on flash, with records of all sizes and hashes that collide. */
class IncarnationPackerTest {
  private static final int MAX_VALUE = 3000;

  private static final Geometry GEOMETRY = geometry();

  @TempDir private Path directory;
  private int stores;

  private static Geometry geometry() {
    Geometry geometry = new Geometry();
    geometry.keyed = true;
    geometry.maxKeyBytes = 40;
    geometry.maxValueBytes = MAX_VALUE;
    geometry.flashBytes = 1 << 20;
    geometry.pageBytes = 4096;
    geometry.eraseBlockBytes = 65536;
    geometry.incarnationBytes = 65536;
    geometry.superTables = 4;
    geometry.slots = 3;
    geometry.indexPages = 1;
    return geometry.checked();
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private record Entry(long hash, byte[] key, byte[] value) {}

  /** Fills a buffer, writes it as the only incarnation, and looks each key up. */
  private void packAndFind(Random random, int maxValue, long hashes, String message)
      throws IOException {
    WriteBuffer buffer = new WriteBuffer(GEOMETRY, 5000);
    List<Entry> model = new ArrayList<>();
    while (true) {
      // few hashes: many keys with the same one, and they are spread over the fences
      long hash = TestHashes.unmix(random.nextLong(hashes) * (Long.MIN_VALUE / hashes * -2));
      byte[] key = new byte[8 + random.nextInt(32)];
      System.arraycopy(Tables.value(model.size()), 0, key, 0, 8);
      byte[] value = random.nextInt(9) == 0 ? null : Tables.value(random, maxValue);
      if (!buffer.hasRoom(Records.bytes(key, value))) {
        break;
      }
      buffer.put(hash, key, value);
      model.add(new Entry(hash, key, value));
      check(buffer, hash, key, value);
    }
    BloomSlices filters = new BloomSlices(new BloomSizing(1000, 2), 3);
    SuperTable superTable = new SuperTable(1, 3, filters, buffer, false);
    superTable.freeze(new WriteBuffer(GEOMETRY, 5000));
    superTable.frozenOperation = 99;
    superTable.recovered(1);
    try (IncarnationPacker packer = new IncarnationPacker(GEOMETRY, 5000);
        PageStore store = PageStore.create(directory.resolve("pages-" + stores++), 4096);
        PageReader reader =
            new PageReader(GEOMETRY, store, new FlashCounters<>(BufferHashCount.class));
        PageFrame nothing = PageFrames.allocate(1, 4096)) {
      while (store.pages() < GEOMETRY.firstPage(1, 2)) {
        store.append(1, nothing);
      }
      Index index = packer.pack(superTable, 17);
      store.write(GEOMETRY.firstPage(1, 2), packer.pages, packer.frame);
      Index read = Index.read(packer.frame, GEOMETRY);
      assertArrayEquals(index.fences, read.fences);
      assertEquals(index.crossing, read.crossing);
      assertEquals(model.size(), read.records);
      assertEquals(99, read.lastOperation);
      Incarnation incarnation = read.incarnation(GEOMETRY, 17);
      for (Entry entry : model) {
        reader.begin(0);
        reader.add(incarnation, 0);
        byte[] found = reader.find(entry.hash(), entry.key());
        if (entry.value() == null) {
          assertSame(Records.DELETED, found, message);
        } else {
          assertArrayEquals(entry.value(), found, message);
        }
      }
    }
  }

  private static void check(WriteBuffer buffer, long hash, byte[] key, byte[] value) {
    byte[] found = buffer.find(hash, key);
    if (value == null) {
      assertSame(Records.DELETED, found);
    } else {
      assertArrayEquals(value, found);
    }
  }

  @Test
  void everyRecordIsFoundWhateverTheSizes() throws IOException {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int most = new int[] {0, 8, 100, 1000, MAX_VALUE}[seed % 5];
      packAndFind(random, most, 1L << 40, "seed " + seed);
    }
  }

  /** Runs of records with one fence go over many pages. */
  @Test
  void everyRecordIsFoundWhereHashesCollide() throws IOException {
    for (int seed = 0; seed < 30; seed++) {
      Random random = new Random(seed);
      packAndFind(random, seed % 2 == 0 ? 8 : 500, 1 + random.nextInt(20), "seed " + seed);
    }
  }

  @Test
  void sortsWhateverTheOrderIs() {
    Random random = new Random(5);
    for (int order = 0; order < 4; order++) {
      long[] numbers = new long[3000];
      for (int i = 0; i < numbers.length; i++) {
        int near = i + random.nextInt(20);
        int wrapped = (i + 5) % numbers.length;
        numbers[i] = new long[] {near, wrapped, -i, random.nextInt()}[order];
      }
      long[] expected = numbers.clone();
      Arrays.sort(expected, 0, 2999);
      IncarnationPacker.sortNearlySorted(numbers, 2999);
      assertArrayEquals(expected, numbers, "order " + order);
    }
  }
}

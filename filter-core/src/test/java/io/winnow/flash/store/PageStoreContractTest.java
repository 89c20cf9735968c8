package io.winnow.flash.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every page store keeps. */
abstract class PageStoreContractTest {
  private static final int PAGE_BYTES = 4096;

  /** An empty store. */
  abstract PageStore create(int pageBytes) throws IOException;

  /** Flips one bit of a page where it is kept. */
  abstract void flipBit(PageStore store, int page, int bit) throws IOException;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @Test
  void whatWasWrittenIsReadAfterAnySequenceOfOperations() throws IOException {
    long seed = 20261121;
    Random random = new Random(seed);
    List<Long> model = new ArrayList<>();
    try (PageStore store = create(2 * PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(8, 2 * PAGE_BYTES)) {
      for (int step = 0; step < 2000; step++) {
        int count = 1 + random.nextInt(8);
        if (random.nextInt(3) == 0 || model.isEmpty()) {
          for (int i = 0; i < count; i++) {
            model.add(fill(frame, i, random.nextLong()));
          }
          assertEquals(model.size() - count, store.append(count, frame));
        } else if (random.nextBoolean()) {
          int first = random.nextInt(model.size() + 1);
          for (int i = 0; i < count; i++) {
            long content = fill(frame, i, random.nextLong());
            if (first + i < model.size()) {
              model.set(first + i, content);
            } else {
              model.add(content);
            }
          }
          store.write(first, count, frame);
        } else {
          count = Math.min(count, model.size());
          int first = random.nextInt(model.size() - count + 1);
          store.read(first, count, frame);
          for (int i = 0; i < count; i++) {
            assertFilled(frame, i, model.get(first + i), "seed " + seed + ", step " + step);
          }
        }
        assertEquals(model.size(), store.pages());
      }
      store.force();
    }
  }

  @Test
  void aFlippedBitAnywhereIsADamagedPage() throws IOException {
    try (PageStore store = create(PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(3, PAGE_BYTES)) {
      for (int i = 0; i < 3; i++) {
        fill(frame, i, i);
      }
      store.append(3, frame);
      for (int bit = 0; bit < PAGE_BYTES * 8; bit += bit < 80 ? 1 : 97) {
        flipBit(store, 1, bit);
        DamagedPageException e =
            assertThrows(DamagedPageException.class, () -> store.read(0, 3, frame), "bit " + bit);
        assertEquals(1, e.page());
        assertEquals(store.name(), e.file());
        assertTrue(e.getMessage().contains("page 1 of " + store.name()), e.getMessage());
        store.read(2, frame);
        flipBit(store, 1, bit);
      }
      store.read(0, 3, frame);
    }
  }

  @Test
  void requestsAndBytesAreCounted() throws IOException {
    try (PageStore store = create(PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(4, PAGE_BYTES)) {
      store.append(4, frame);
      IoCounters.Snapshot before = store.counters().snapshot();
      store.write(3, 2, frame);
      store.read(1, frame);
      store.read(0, 4, frame);
      assertEquals(
          new IoCounters.Snapshot(2, 5 * PAGE_BYTES, 1, 2 * PAGE_BYTES),
          store.counters().snapshot().since(before));
    }
  }

  @Test
  void requestsBeyondTheEndAreRefused() throws IOException {
    try (PageStore store = create(PAGE_BYTES);
        PageFrame frame = PageFrames.allocate(2, PAGE_BYTES);
        PageFrame other = PageFrames.allocate(2, 2 * PAGE_BYTES)) {
      store.append(2, frame);
      assertThrows(IllegalArgumentException.class, () -> store.read(2, frame));
      assertThrows(IllegalArgumentException.class, () -> store.read(1, 2, frame));
      assertThrows(IllegalArgumentException.class, () -> store.read(-1, frame));
      assertThrows(IllegalArgumentException.class, () -> store.write(3, 1, frame));
      assertThrows(IllegalArgumentException.class, () -> store.write(0, 3, frame));
      assertThrows(IllegalArgumentException.class, () -> store.append(0, frame));
      assertThrows(IllegalArgumentException.class, () -> store.read(0, other));
    }
  }

  @Test
  void aClosedStoreIsNotRead() throws IOException {
    PageStore store = create(PAGE_BYTES);
    try (PageFrame frame = PageFrames.allocate(1, PAGE_BYTES)) {
      store.append(1, frame);
      store.close();
      assertThrows(ClosedChannelException.class, () -> store.read(0, frame));
    }
  }

  @Test
  void pageSizesAreMultiplesOfABlock() {
    for (int pageBytes : new int[] {0, 512, 4097, 6144, 2 << 20}) {
      assertThrows(IllegalArgumentException.class, () -> create(pageBytes));
    }
  }

  private static long fill(PageFrame frame, int page, long content) {
    for (int at = PageStore.HEADER_BYTES; at < frame.pageBytes(); at += Long.BYTES) {
      frame.bytes().putLong(page * frame.pageBytes() + at, TestHashes.splitMix(content, at));
    }
    return content;
  }

  private static void assertFilled(PageFrame frame, int page, long content, String message) {
    for (int at = PageStore.HEADER_BYTES; at < frame.pageBytes(); at += Long.BYTES) {
      assertEquals(
          TestHashes.splitMix(content, at),
          frame.bytes().getLong(page * frame.pageBytes() + at),
          message);
    }
  }
}

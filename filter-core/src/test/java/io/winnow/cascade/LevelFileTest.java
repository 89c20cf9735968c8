package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LevelFileTest {
  /** Pages with the right checksum that belong to another level than the manifest names. */
  @Test
  void fencesOfAnotherLevelAreDamaged(@TempDir Path directory) throws IOException {
    try (PageStore store = PageStore.create(directory.resolve("a-level"), 4096)) {
      try (PageFrame frame = PageFrames.allocate(1, 4096)) {
        frame.fill(0, 0, 0);
        store.append(1, frame);
      }
      LevelFile.append(store, 7, 100, new int[] {5});
      assertArrayEquals(new int[] {5}, LevelFile.read(store, entry(7, 100, 1)));
      for (Manifest.LevelEntry other :
          List.of(entry(8, 100, 1), entry(7, 101, 1), entry(7, 100, 2))) {
        assertThrows(DamagedPageException.class, () -> LevelFile.read(store, other));
      }
    }
  }

  private static Manifest.LevelEntry entry(long number, long entries, int pages) {
    return new Manifest.LevelEntry(number, 1, entries, pages, 0);
  }

  @Test
  void aLevelOfMorePagesIsAClearError() throws IOException {
    LevelFile.checkPages(Manifest.MAX_PAGES, 4096);
    IOException e =
        assertThrows(IOException.class, () -> LevelFile.checkPages(Manifest.MAX_PAGES + 1L, 4096));
    assertTrue(e.getMessage().contains("larger pages"), e.getMessage());
    assertEquals(2_117_834, LevelFile.fencePages(Manifest.MAX_PAGES, 4096));
  }
}

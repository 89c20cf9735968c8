package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class LevelFileTest {
  @Test
  void aLevelOfMorePagesIsAClearError() throws IOException {
    LevelFile.checkPages(Manifest.MAX_PAGES, 4096);
    IOException e =
        assertThrows(IOException.class, () -> LevelFile.checkPages(Manifest.MAX_PAGES + 1L, 4096));
    assertTrue(e.getMessage().contains("larger pages"), e.getMessage());
    assertEquals(2_117_834, LevelFile.fencePages(Manifest.MAX_PAGES, 4096));
  }
}

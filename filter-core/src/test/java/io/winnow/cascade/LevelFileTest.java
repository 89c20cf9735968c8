package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LevelFileTest {
  /** A quarter more than there is, and never more than an array can have. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1000, 1 << 30, 1_717_986_919, 1_900_000_000, Integer.MAX_VALUE - 9})
  void fencesFindRoomUpToTheMostPages(int now) throws IOException {
    int room = LevelFile.room(now, now + 1L, 4096);
    assertTrue(room > now && room <= Manifest.MAX_PAGES, "room for " + room);
    assertTrue(room <= now * 1.25 + 1, "room for " + room);
  }

  @Test
  void aLevelOfMorePagesIsAClearError() throws IOException {
    assertEquals(Manifest.MAX_PAGES, LevelFile.room(5, Manifest.MAX_PAGES, 4096));
    IOException e =
        assertThrows(IOException.class, () -> LevelFile.room(5, Manifest.MAX_PAGES + 1L, 4096));
    assertTrue(e.getMessage().contains("larger pages"), e.getMessage());
    assertEquals(2_117_834, LevelFile.fencePages(Manifest.MAX_PAGES, 4096));
  }
}

package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScaleRowsTest {
  private static final ScaleRows ROWS = ScaleRows.of(200_000);

  private static long time(byte[] key) {
    return ByteBuffer.wrap(key).getLong(ScaleRows.ENTITY_BYTES);
  }

  @Test
  void keysOfAFileAreInOrderAndOfItsHours() {
    long all = 0;
    for (int file = 0; file < ScaleRows.FILES; file++) {
      byte[] last = {};
      long inFile = 0;
      for (int entity = 0; entity < ROWS.entities(); entity++) {
        for (byte[] key : ROWS.keys(entity, file)) {
          assertEquals(ScaleRows.KEY_BYTES, key.length);
          assertTrue(Arrays.compareUnsigned(last, key) < 0, "file " + file);
          assertTrue(time(key) >= ScaleRows.begin(file), "file " + file);
          assertTrue(time(key) < ScaleRows.begin(file + 1), "file " + file);
          last = key;
          inFile++;
        }
      }
      assertEquals(ScaleRows.SHARES[file], inFile / 200_000.0, 0.003, "file " + file);
      all += inFile;
    }
    assertEquals(0.998, all / 200_000.0, 0.01);
  }

  @Test
  void eachEntityHasAPrefixOfItsOwn() {
    Set<Long> entities = new HashSet<>();
    for (int entity = 0; entity < ROWS.entities(); entity++) {
      entities.add(ByteBuffer.wrap(ROWS.first(entity, 0)).getLong());
    }
    assertEquals(ROWS.entities(), entities.size());
  }

  @Test
  void newKeyIsLaterThanAllAndBetweenTheEntities() {
    for (int entity = 0; entity < ROWS.entities(); entity += 100) {
      byte[] key = ROWS.newKey(entity, Mix.of(entity));
      assertTrue(time(key) >= ScaleRows.begin(ScaleRows.FILES));
      assertArrayEquals(
          Arrays.copyOf(ROWS.first(entity, 0), ScaleRows.ENTITY_BYTES),
          Arrays.copyOf(key, ScaleRows.ENTITY_BYTES));
    }
  }
}

package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowValuesTest {
  private static final KeySpace KEYS = KeySpace.of(25, 1000);

  @Test
  void whatIsWrittenIsRight() {
    for (long version : new long[] {0, 1, 31, 1_800_000_000_000_000L}) {
      byte[] key = KEYS.key(version % 1000);
      Map<String, byte[]> row = RowValues.byName(key, version);
      assertEquals(version, RowValues.version(key, row));
      for (int column = 0; column < RowValues.COLUMNS; column++) {
        assertArrayEquals(RowValues.values(key, version)[column], row.get("field" + column));
        assertEquals(RowValues.VALUE_LENGTH, row.get("field" + column).length);
        assertEquals("field" + column, new String(RowValues.qualifier(column)));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> RowValues.values(KEYS.key(0), -1));
  }

  @Test
  void anyOtherByteIsWrong() {
    byte[] key = KEYS.key(3);
    for (int column = 0; column < RowValues.COLUMNS; column++) {
      for (int at = 0; at < RowValues.VALUE_LENGTH; at++) {
        Map<String, byte[]> row = new HashMap<>(RowValues.byName(key, 7));
        byte[] value = row.get("field" + column).clone();
        value[at] ^= 4;
        row.put("field" + column, value);
        assertEquals(RowValues.WRONG, RowValues.version(key, row), column + " at " + at);
      }
    }
  }

  @Test
  void anotherRowMissingColumnsAndMixedVersionsAreWrong() {
    byte[] key = KEYS.key(3);
    Map<String, byte[]> row = RowValues.byName(key, 7);
    assertEquals(RowValues.WRONG, RowValues.version(KEYS.key(4), row));
    assertEquals(RowValues.WRONG, RowValues.version(key, Map.of()));
    for (int column = 0; column < RowValues.COLUMNS; column++) {
      Map<String, byte[]> other = new HashMap<>(row);
      other.put("field" + column, RowValues.values(key, 8)[column]);
      assertEquals(RowValues.WRONG, RowValues.version(key, other), "mixed");
      other.remove("field" + column);
      assertEquals(RowValues.WRONG, RowValues.version(key, other), "missing");
      other.put("field9", RowValues.values(key, 7)[column]);
      assertEquals(RowValues.WRONG, RowValues.version(key, other), "another name");
      other.put("field" + column, RowValues.values(key, 7)[column]);
      assertEquals(RowValues.WRONG, RowValues.version(key, other), "one too many");
      other.remove("field9");
      assertEquals(7, RowValues.version(key, other));
      other.put("field" + column, RowValues.values(key, 7)[(column + 1) % 5]);
      assertEquals(RowValues.WRONG, RowValues.version(key, other), "another column's");
    }
  }
}

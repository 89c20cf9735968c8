package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySpaceTest {

  @ParameterizedTest
  @ValueSource(ints = {8, 9, 10, 13, 14, 15, 25, 50, 300})
  void keysAreDistinctSortByTheirNumbersAndLeadBackToTheirIndexes(int length) {
    int rows = 20_000;
    KeySpace space = KeySpace.of(length, rows);
    TreeMap<byte[], Long> sorted = new TreeMap<>(Arrays::compareUnsigned);
    long[] numbers = new long[2 * rows];
    for (int i = 0; i < 2 * rows; i++) {
      byte[] key = space.key(i);
      assertEquals(length, key.length);
      assertTrue(new String(key, StandardCharsets.US_ASCII).matches("user[-_0-9A-Za-z]+"));
      assertEquals(i, space.indexOfNumber(space.number(i)));
      sorted.put(key, (long) i);
      numbers[i] = space.number(i);
    }
    assertEquals(2 * rows, sorted.size());
    Arrays.sort(numbers);
    int place = 0;
    for (byte[] key : sorted.keySet()) {
      assertArrayEquals(key, space.keyOfNumber(numbers[place++]));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 14, 25})
  void rowsOfAGroupFollowEachOtherAndShareAllButADigit(int length) {
    int rows = 20_000;
    KeySpace space = KeySpace.of(length, rows, 20);
    int shared = Math.min(length - 1, KeySpace.GROUP_BYTES);
    TreeMap<byte[], Integer> sorted = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < 2 * rows; i++) {
      byte[] key = space.key(i);
      assertEquals(i, space.indexOfNumber(space.number(i)));
      assertArrayEquals(Arrays.copyOf(space.key(i / 20 * 20), shared), Arrays.copyOf(key, shared));
      sorted.put(key, i);
    }
    assertEquals(2 * rows, sorted.size());
    int before = -1;
    for (int index : sorted.values()) {
      assertTrue(index % 20 == 0 || index == before + 1, before + " is before " + index);
      before = index;
    }
    assertThrows(IllegalArgumentException.class, () -> KeySpace.of(25, 30, 20));
    assertThrows(IllegalArgumentException.class, () -> KeySpace.of(25, 65, 65));
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 10, 25, 300})
  void absentKeysLieAmongThePresentOnes(int length) {
    int rows = 100_000;
    KeySpace space = KeySpace.of(length, rows);
    long[] numbers = new long[2 * rows];
    for (int i = 0; i < 2 * rows; i++) {
      numbers[i] = space.number(i);
    }
    Arrays.sort(numbers);
    // Of neighbours in key order, half are of two kinds; in each tenth of the keys, half are
    // absent.
    int changes = 0;
    int[] absent = new int[10];
    for (int i = 0; i < 2 * rows; i++) {
      boolean present = space.isPresent(space.indexOfNumber(numbers[i]));
      absent[i / (rows / 5)] += present ? 0 : 1;
      if (i > 0) {
        changes += present != space.isPresent(space.indexOfNumber(numbers[i - 1])) ? 1 : 0;
      }
    }
    assertEquals(rows, changes, 5 * Math.sqrt(2 * rows) / 2);
    for (int tenth : absent) {
      assertEquals(rows / 10, tenth, 5 * Math.sqrt(rows / 5) / 2);
    }
  }

  @Test
  void limitsAreNamed() {
    assertThrows(IllegalArgumentException.class, () -> KeySpace.of(7, 1));
    assertThrows(IllegalArgumentException.class, () -> KeySpace.of(32_768, 1));
    assertThrows(IllegalArgumentException.class, () -> KeySpace.of(25, 0));
    KeySpace most = KeySpace.of(8, 1 << 23);
    assertEquals((1 << 24) - 1, most.indexOfNumber(most.number((1 << 24) - 1)));
    assertThrows(IllegalArgumentException.class, () -> KeySpace.of(8, (1 << 23) + 1));
    assertThrows(IllegalArgumentException.class, () -> most.key(-1));
    assertThrows(IllegalArgumentException.class, () -> most.key(1 << 24));
  }
}

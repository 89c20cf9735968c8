package io.winnow.hbase.storefile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RowKeyTest {
  @Test
  void aKeyTellsItsNumber() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 10_000; i++) {
      int number = random.nextInt(100_000_000);
      byte[] key = RowKey.of(number);
      assertEquals(RowKey.LENGTH, key.length);
      assertEquals(number, RowKey.number(key, 0));
    }
    String text = new String(RowKey.of(42), StandardCharsets.US_ASCII);
    assertTrue(text.matches("[0-9a-f]{16}-00000042"), text);
  }

  @Test
  void numbersInARowLieAllOverTheKeySpace() {
    int[] byFirstDigit = new int[16];
    for (int number = 0; number < 16_000; number++) {
      byFirstDigit[Character.digit(RowKey.of(number)[0], 16)]++;
    }
    // Binomial: the standard deviation of each is 30.6.
    assertTrue(
        Arrays.stream(byFirstDigit).allMatch(count -> Math.abs(count - 1000) < 5 * 30.6),
        Arrays.toString(byFirstDigit));
  }
}

package io.winnow.hbase.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever it decides, it decides as a comparison of the whole keys does. */
class FirstKeyWordsTest {

  @Test
  void agreesWithComparingWholeKeys() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int decided = 0;
    for (int round = 0; round < 3_000; round++) {
      int alphabet = 1 + random.nextInt(4);
      byte[] prefix = key(random, alphabet, random.nextInt(12));
      byte[][] firstKeys = new byte[1 + random.nextInt(9)][];
      for (int i = 0; i < firstKeys.length; i++) {
        firstKeys[i] = concat(prefix, key(random, alphabet, random.nextInt(12)));
      }
      Arrays.sort(firstKeys, Arrays::compareUnsigned);
      FirstKeyWords words = words(firstKeys);
      for (int probe = 0; probe < 50; probe++) {
        byte[] row = key(random, alphabet, random.nextInt(20));
        row = random.nextInt(4) == 0 ? row : concat(prefix, row);
        byte[] at = concat(new byte[3], concat(row, new byte[] {7}));
        int chunk = words.chunkOf(at, 3, row.length);
        if (chunk != FirstKeyWords.UNDECIDED) {
          assertEquals(lastNotGreater(firstKeys, row), chunk, "seed " + seed);
          decided++;
        }
      }
    }
    assertTrue(decided > 30_000, decided + " decided");
  }

  @Test
  void decidesMostRowsAndLeavesTheFirstKeysThemselves() {
    byte[][] firstKeys = new byte[70][];
    for (int i = 0; i < firstKeys.length; i++) {
      firstKeys[i] = String.format("user%021d", 143_000L * i).getBytes();
    }
    FirstKeyWords words = words(firstKeys);
    for (byte[] firstKey : firstKeys) {
      assertEquals(FirstKeyWords.UNDECIDED, words.chunkOf(firstKey, 0, firstKey.length));
    }
    for (long i = 1; i < 10_000_000; i += 997) {
      byte[] row = String.format("user%021d", i).getBytes();
      int chunk = words.chunkOf(row, 0, row.length);
      if (i % 143_000 > 100) {
        assertNotEquals(FirstKeyWords.UNDECIDED, chunk);
      }
      if (chunk != FirstKeyWords.UNDECIDED) {
        assertEquals(lastNotGreater(firstKeys, row), chunk);
      }
    }
  }

  @Test
  void whatAllKeysBeginWithStandsBeforeThem() {
    FirstKeyWords words = words(new byte[][] {"row1".getBytes(), "row2".getBytes()});
    assertEquals(-1, words.chunkOf("row".getBytes(), 0, 3));
    assertEquals(FirstKeyWords.UNDECIDED, words.chunkOf("ro".getBytes(), 0, 2));
  }

  private static FirstKeyWords words(byte[][] firstKeys) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int[] from = new int[firstKeys.length];
    int[] to = new int[firstKeys.length];
    for (int i = 0; i < firstKeys.length; i++) {
      all.writeBytes(new byte[] {9, 9});
      from[i] = all.size();
      all.writeBytes(firstKeys[i]);
      to[i] = all.size();
    }
    return new FirstKeyWords(all.toByteArray(), from, to);
  }

  private static int lastNotGreater(byte[][] firstKeys, byte[] row) {
    int chunk = -1;
    while (chunk + 1 < firstKeys.length && Arrays.compareUnsigned(firstKeys[chunk + 1], row) <= 0) {
      chunk++;
    }
    return chunk;
  }

  /** Bytes around the sign and zero, few of them, so that keys are alike. */
  private static byte[] key(Random random, int alphabet, int length) {
    byte[] letters = {0, (byte) 0x80, (byte) 0xFF, 'a'};
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = letters[random.nextInt(alphabet)];
    }
    return key;
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}

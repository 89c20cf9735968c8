package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are bytes, and the function that the directory names. */
class CascadeKeysTest {
  private static final int OPERATIONS = 60_000;
  private static final int DIFFERENT_KEYS = 10_000;

  @TempDir private Path directory;

  private static CascadeOptions options(KeyHash function) {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .expectedMaximum(1_000_000)
        .rate(1e-6)
        .deletes(true)
        .keyHash(function);
  }

  private static byte[] key(int i) {
    return ("key " + "x".repeat(i % 40) + i).getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void randomOperationsOnBytesAreThoseOfTheModel(int hashId) throws IOException {
    KeyHash function = KeyHash.ofId(hashId);
    long seed = 7 + function.id();
    Random random = new Random(seed);
    Map<Integer, Integer> copies = new HashMap<>();
    for (int session = 0; session < 3; session++) {
      try (CascadeFilter filter = CascadeFilter.open(directory, options(function))) {
        for (int done = 0; done < OPERATIONS / 3; ) {
          int i = random.nextInt(DIFFERENT_KEYS);
          if (copies.getOrDefault(i, 0) > 0 && random.nextInt(3) == 0) {
            filter.delete(key(i));
            copies.merge(i, -1, Integer::sum);
            done++;
          } else if (random.nextBoolean()) {
            filter.insert(key(i));
            copies.merge(i, 1, Integer::sum);
            done++;
          } else {
            List<byte[]> keys = new ArrayList<>();
            for (int k = i; k < i + 5; k++) {
              keys.add(key(k));
              copies.merge(k, 1, Integer::sum);
            }
            filter.insert(keys);
            done += 5;
          }
        }
        assertModel(filter, copies, function, "seed " + seed);
      }
    }
  }

  private static void assertModel(
      CascadeFilter filter, Map<Integer, Integer> copies, KeyHash function, String message) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < DIFFERENT_KEYS; i++) {
      keys.add(key(i));
    }
    BitSet batch = filter.mightContain(keys);
    int wrong = 0;
    for (int i = 0; i < DIFFERENT_KEYS; i++) {
      boolean there = copies.getOrDefault(i, 0) > 0;
      assertEquals(function.hash(key(i)), filter.hash(key(i)));
      if (i % 50 == 0) {
        assertEquals(batch.get(i), filter.mightContain(key(i)), message);
        assertEquals(batch.get(i), filter.mightContain(function.hash(key(i))), message);
      }
      assertTrue(batch.get(i) || !there, message + ", key " + i + " is lost");
      wrong += batch.get(i) && !there ? 1 : 0;
    }
    assertTrue(wrong <= 2, message + ", false positives: " + wrong);
  }

  /** By another function each key would be absent. */
  @Test
  void anotherFunctionIsRefused() throws IOException {
    CascadeFilter.open(directory, options(KeyHash.MURMUR3)).close();
    assertTrue(Files.readString(directory.resolve("MANIFEST")).contains("\nkey-hash 2\n"));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> CascadeFilter.open(directory, options(KeyHash.XXH3)).close());
    assertTrue(e.getMessage().contains("murmur3") && e.getMessage().contains("xxh3"), "" + e);
    CascadeFilter.open(directory, options(KeyHash.MURMUR3)).close();
  }
}

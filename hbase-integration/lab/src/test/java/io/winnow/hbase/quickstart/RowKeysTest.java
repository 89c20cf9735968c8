package io.winnow.hbase.quickstart;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowKeysTest {

  @TempDir Path directory;

  @Test
  void generatedKeysAreDistinctAndOf25Bytes() {
    RowKeys keys = RowKeys.generate(10_000);
    assertEquals(10_000, keys.size());
    assertEquals(0, keys.duplicates);
    assertEquals(10_000, present(keys).size());
    assertEquals(25, keys.hit(0).length);
  }

  @Test
  void missesAreAbsentDistinctAndBetweenRows() {
    RowKeys keys = RowKeys.generate(1_000);
    TreeSet<byte[]> present = present(keys);
    byte[][] misses = keys.misses(20_000);
    assertEquals(20_000, misses.length);
    Set<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    for (byte[] miss : misses) {
      assertTrue(distinct.add(miss));
      assertFalse(present.contains(miss));
      assertTrue(Arrays.compareUnsigned(miss, present.first()) > 0);
      assertTrue(Arrays.compareUnsigned(miss, present.last()) < 0);
    }
  }

  @Test
  void fewMissesAreSpreadOverTheWholeRange() {
    RowKeys keys = RowKeys.generate(10_000);
    TreeSet<byte[]> present = present(keys);
    long inLowerHalf =
        Arrays.stream(keys.misses(100)).filter(miss -> (miss[0] & 0xff) < '8').count();
    assertTrue(inLowerHalf > 20 && inLowerHalf < 80, "in the lower half: " + inLowerHalf);
    assertEquals(10_000, present.size());
  }

  @Test
  void thereIsNoRoomForAMissBetweenNeighbours() {
    byte[] a = {1};
    byte[] b = {1, 0};
    byte[] c = {1, 0, 0};
    assertEquals(0, RowKeys.of(a, b).misses(10).length);
    assertEquals(0, RowKeys.of(c, b, a).misses(10).length);
    byte[] long1 = new byte[RowKeys.MAX_KEY_BYTES];
    byte[] long2 = new byte[RowKeys.MAX_KEY_BYTES];
    long2[0] = 1;
    assertEquals(0, RowKeys.of(long1, long2).misses(10).length);
  }

  @Test
  void fileOfKeysWithRepeatedAndEmptyLines() throws IOException {
    Path file = directory.resolve("keys");
    Files.write(file, "b\n\na\r\nb\n\u00ff\u0080\n\n".getBytes(ISO_8859_1));
    RowKeys keys = RowKeys.read(file);
    assertEquals(3, keys.size());
    assertEquals(1, keys.duplicates);
    assertEquals(2, keys.emptyLines);
    assertArrayEquals("a".getBytes(ISO_8859_1), present(keys).first());
    assertArrayEquals("\u00ff\u0080".getBytes(ISO_8859_1), present(keys).last());
  }

  @Test
  void unusableFilesAreNamed() throws IOException {
    Path file = directory.resolve("keys");
    assertTrue(
        assertThrows(IOException.class, () -> RowKeys.read(file))
            .getMessage()
            .contains("there is no file " + file));
    assertTrue(
        assertThrows(IOException.class, () -> RowKeys.read(directory))
            .getMessage()
            .contains(directory + " is a directory"));
    Files.writeString(file, "one\none\n");
    assertTrue(
        assertThrows(IOException.class, () -> RowKeys.read(file))
            .getMessage()
            .contains("two distinct"));
    Files.writeString(file, "one\n" + "x".repeat(RowKeys.MAX_KEY_BYTES + 1));
    assertTrue(
        assertThrows(IOException.class, () -> RowKeys.read(file)).getMessage().contains("line 2"));
  }

  @Test
  void valuesFollowFromKeys() {
    byte[] key = {1, 2, 3};
    assertEquals(32, RowKeys.value(key).length);
    assertArrayEquals(RowKeys.value(key), RowKeys.value(key.clone()));
    assertFalse(Arrays.equals(RowKeys.value(key), RowKeys.value(new byte[] {1, 2, 4})));
  }

  private static TreeSet<byte[]> present(RowKeys keys) {
    TreeSet<byte[]> present = new TreeSet<>(Arrays::compareUnsigned);
    for (int i = 0; i < keys.size(); i++) {
      present.add(keys.hit(i));
    }
    return present;
  }
}

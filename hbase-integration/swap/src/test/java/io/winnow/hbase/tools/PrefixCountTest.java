package io.winnow.hbase.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Counts beside sets of all prefixes. */
class PrefixCountTest {
  @Test
  void countsAreThoseOfSets() {
    Random random = new Random(29);
    for (int files : new int[] {1, 3, 70}) {
      NavigableMap<byte[], Set<Integer>> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
      for (int i = 0; i < 3000; i++) {
        byte[] row = new byte[1 + random.nextInt(40)];
        for (int j = 0; j < row.length; j++) {
          row[j] = (byte) (random.nextInt(j < 30 ? 2 : 9) * 127);
        }
        rows.computeIfAbsent(row, unseen -> new HashSet<>()).add(random.nextInt(files));
      }
      PrefixCount count = new PrefixCount(files);
      long inFiles = 0;
      Map<Integer, Map<String, Set<Integer>>> expected = new HashMap<>();
      for (Map.Entry<byte[], Set<Integer>> row : rows.entrySet()) {
        int[] having = row.getValue().stream().mapToInt(Integer::intValue).toArray();
        count.add(new KeyValue(row.getKey(), null, null), having, having.length);
        inFiles += having.length;
        for (int length = 1; length <= Math.min(32, row.getKey().length); length++) {
          expected
              .computeIfAbsent(length, unseen -> new HashMap<>())
              .computeIfAbsent(
                  Bytes.toStringBinary(Arrays.copyOf(row.getKey(), length)),
                  unseen -> new HashSet<>())
              .addAll(row.getValue());
        }
      }
      count.finish();
      assertEquals(inFiles, count.rowsInFiles());
      for (int length = 1; length <= PrefixCount.MAX_LENGTH; length++) {
        Map<String, Set<Integer>> all = expected.get(length);
        assertEquals(all.size(), count.prefixes(length), "of " + length);
        assertEquals(
            all.values().stream().mapToInt(Set::size).sum(), count.inFiles(length), "of " + length);
      }
    }
  }
}

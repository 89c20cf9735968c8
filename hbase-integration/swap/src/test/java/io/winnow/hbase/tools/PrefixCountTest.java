package io.winnow.hbase.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.format.PrefixRule;
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
  private static final byte[] LETTERS = {0, 'a', '|', ':', '#', '/', (byte) 0xFF};

  @Test
  void countsAreThoseOfSets() {
    Random random = new Random(29);
    for (int files : new int[] {1, 3, 70}) {
      NavigableMap<byte[], Set<Integer>> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
      for (int i = 0; i < 3000; i++) {
        byte[] row = new byte[1 + random.nextInt(40)];
        for (int j = 0; j < row.length; j++) {
          row[j] = LETTERS[random.nextInt(j < 30 ? 3 : LETTERS.length)];
        }
        rows.computeIfAbsent(row, unseen -> new HashSet<>()).add(random.nextInt(files));
      }
      PrefixCount count = new PrefixCount(files);
      long inFiles = 0;
      Map<PrefixRule, Map<String, Set<Integer>>> expected = new HashMap<>();
      Map<PrefixRule, Integer> with = new HashMap<>();
      for (Map.Entry<byte[], Set<Integer>> row : rows.entrySet()) {
        int[] having = row.getValue().stream().mapToInt(Integer::intValue).toArray();
        count.add(new KeyValue(row.getKey(), null, null), having, having.length);
        inFiles += having.length;
        for (PrefixRule rule : PrefixCount.RULES) {
          int length = rule.lengthIn(row.getKey(), 0, row.getKey().length);
          if (length != PrefixRule.NONE) {
            with.merge(rule, having.length, Integer::sum);
            expected
                .computeIfAbsent(rule, unseen -> new HashMap<>())
                .computeIfAbsent(
                    Bytes.toStringBinary(Arrays.copyOf(row.getKey(), length)),
                    unseen -> new HashSet<>())
                .addAll(row.getValue());
          }
        }
      }
      count.finish();
      assertEquals(inFiles, count.rowsInFiles());
      for (int i = 0; i < PrefixCount.RULES.size(); i++) {
        PrefixRule rule = PrefixCount.RULES.get(i);
        Map<String, Set<Integer>> all = expected.getOrDefault(rule, Map.of());
        assertEquals(all.size(), count.prefixes(i), rule.toString());
        assertEquals(
            all.values().stream().mapToInt(Set::size).sum(), count.inFiles(i), rule.toString());
        assertEquals(
            with.getOrDefault(rule, 0) >= 0.99 * inFiles, count.isOfNearlyAllRows(i), rule + "");
      }
    }
  }
}

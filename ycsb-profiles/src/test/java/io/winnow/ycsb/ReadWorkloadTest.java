package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;

/** The workload on a table in memory, right ones and spoilt ones. */
class ReadWorkloadTest {
  private static final int ROWS = 500;

  /** A table in memory; what is read goes through a function that may spoil it. */
  private static class Memory extends DB implements BatchReads {
    final TreeMap<String, Map<String, byte[]>> rows = new TreeMap<>();
    final List<String> asked = new ArrayList<>();
    UnaryOperator<Map<String, byte[]>> spoiler = row -> row;
    Status status = Status.OK;
    int scannedPrefix;

    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      asked.add(key);
      Map<String, byte[]> row = rows.get(key);
      if (row == null) {
        return Status.NOT_FOUND;
      }
      spoiler
          .apply(new HashMap<>(row))
          .forEach((name, value) -> result.put(name, new ByteArrayByteIterator(value)));
      return status;
    }

    @Override
    public Status batchRead(
        String table, List<String> keys, Set<String> fields, List<Map<String, ByteIterator>> all) {
      for (String key : keys) {
        Map<String, ByteIterator> row = new HashMap<>();
        read(table, key, fields, row);
        all.add(row);
      }
      return status;
    }

    @Override
    public Status scan(
        String table,
        String start,
        int count,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      for (Map<String, byte[]> row : scanned(start, count)) {
        HashMap<String, ByteIterator> columns = new HashMap<>();
        row.forEach((name, value) -> columns.put(name, new ByteArrayByteIterator(value)));
        result.add(columns);
      }
      return status;
    }

    /** As the binding does: with all but the last digit in common, if it is told so. */
    private List<Map<String, byte[]>> scanned(String start, int count) {
      return new TreeMap<>(rows)
          .tailMap(start).entrySet().stream()
              .filter(
                  row ->
                      scannedPrefix == 0
                          || row.getKey().startsWith(start.substring(0, scannedPrefix)))
              .limit(count)
              .map(Map.Entry::getValue)
              .toList();
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      Map<String, byte[]> row = new HashMap<>();
      values.forEach((name, value) -> row.put(name, value.toArray()));
      rows.put(key, row);
      return status;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      return update(table, key, values);
    }

    @Override
    public Status delete(String table, String key) {
      rows.remove(key);
      return status;
    }
  }

  private final Properties properties = new Properties();
  private final Memory db = new Memory();
  private ReadWorkload workload;
  private Object thread;

  private void load(String... settings) throws WorkloadException {
    properties.setProperty("recordcount", Integer.toString(ROWS));
    for (String setting : settings) {
      String[] parts = setting.split("=");
      properties.setProperty(parts[0], parts[1]);
    }
    start();
    for (int i = 0; i < ROWS; i++) {
      assertTrue(workload.doInsert(db, thread));
    }
    assertEquals(ROWS, db.rows.size());
    start();
  }

  private void start() throws WorkloadException {
    workload = new ReadWorkload();
    workload.init(properties);
    thread = workload.initThread(properties, 0, 1);
  }

  private void assertRight(int operations) {
    for (int i = 0; i < operations; i++) {
      assertTrue(workload.doTransaction(db, thread));
    }
    workload.cleanup();
  }

  /** The first read that meets what is spoilt says so, and so does the end. */
  private void assertDiffers() {
    int tries = 0;
    while (workload.doTransaction(db, thread)) {
      tries++;
      assertTrue(tries < 100 * ROWS, "not noticed");
    }
    assertEquals(1, workload.counts().differences());
    assertEquals(0, workload.counts().failures());
    assertThrows(IllegalStateException.class, workload::cleanup);
  }

  @Test
  void scansOfGroupsFindEachRow() throws WorkloadException {
    db.scannedPrefix = KeySpace.GROUP_BYTES;
    load("winnow.group=20", "winnow.scan=group", "winnow.absent=0.3", "winnow.files=8");
    assertRight(500);
    long hits = workload.counts().hits();
    assertTrue(hits > 300 * 20 && hits % 20 == 0, hits + " rows");
    assertTrue(workload.counts().misses() > 100);
    start();
    db.rows.keySet().removeIf(key -> key.hashCode() % 50 == 0);
    assertDiffers();
  }

  @Test
  void scanThatGoesOnBehindItsGroupIsADifference() throws WorkloadException {
    load("winnow.group=20", "winnow.scan=group");
    assertDiffers();
  }

  @Test
  void scansOfRowsBeginWithTheirFirst() throws WorkloadException {
    load("winnow.scan=rows", "updateproportion=0.05");
    assertRight(500);
    assertTrue(workload.counts().hits() > 500 * 10, "1 to 100 rows each");
    start();
    db.rows.remove(db.rows.keySet().iterator().next());
    assertDiffers();
  }

  @Test
  void rightTablesPass() throws WorkloadException {
    for (String batch : List.of("1", "20")) {
      load("winnow.absent=0.3", "winnow.batch=" + batch, "winnow.files=8", "winnow.rewritten=0.2");
      assertRight(1000);
      ReadWorkload.Counts counts = workload.counts();
      int asked = 1000 * Integer.parseInt(batch);
      assertEquals(1000, counts.operations());
      assertEquals(asked, counts.hits() + counts.misses());
      assertEquals(0.3 * asked, counts.misses(), 5 * Math.sqrt(0.21 * asked));
    }
  }

  @Test
  void keysHaveTheirLength() throws WorkloadException {
    for (int length : new int[] {10, 25, 50, 300}) {
      db.rows.clear();
      load("winnow.absent=0.5", "winnow.keylength=" + length);
      assertRight(10);
    }
    Set<Integer> lengths = new HashSet<>();
    db.asked.forEach(key -> lengths.add(key.length()));
    assertEquals(Set.of(10, 25, 50, 300), lengths);
  }

  @Test
  void sameSeedAsksForTheSame() throws WorkloadException {
    for (String distribution : List.of("uniform", "zipfian", "hotspot")) {
      load("winnow.absent=0.3", "requestdistribution=" + distribution, "winnow.seed=1");
      db.asked.clear();
      assertRight(20);
      List<String> first = List.copyOf(db.asked);
      db.asked.clear();
      start();
      assertRight(20);
      assertEquals(first, db.asked);
      db.asked.clear();
      load("winnow.seed=2");
      assertRight(20);
      assertFalse(first.equals(db.asked));
    }
  }

  @Test
  void hotRowsAreAskedForInTheirShare() throws WorkloadException {
    load("requestdistribution=hotspot", "hotspotdatafraction=0.01", "hotspotopnfraction=0.9");
    db.asked.clear();
    assertRight(1000);
    KeySpace keys = KeySpace.of(25, ROWS);
    Set<String> hotKeys = new HashSet<>();
    for (int i = 0; i < ROWS / 100; i++) {
      hotKeys.add(new String(keys.key(i), StandardCharsets.ISO_8859_1));
    }
    long hot = db.asked.stream().filter(hotKeys::contains).count();
    double sigma = Math.sqrt(db.asked.size() * 0.9 * 0.1);
    assertEquals(0.9 * db.asked.size(), (double) hot, 5 * sigma);
    assertTrue(Set.copyOf(db.asked).size() > 0.9 * ROWS, "the others are asked for too");
  }

  /** The rows that are asked for often, in order of their first time. */
  private Set<String> popular(String distribution, String draw) throws WorkloadException {
    load(
        "requestdistribution=" + distribution,
        "hotspotdatafraction=0.02",
        "hotspotopnfraction=1",
        "winnow.seed=1",
        "winnow.draw=" + draw);
    db.asked.clear();
    assertRight(100);
    Map<String, Integer> times = new HashMap<>();
    db.asked.forEach(key -> times.merge(key, 1, Integer::sum));
    Set<String> popular = new HashSet<>();
    times.forEach(
        (key, count) -> {
          if (count > 50) {
            popular.add(key);
          }
        });
    return popular;
  }

  @Test
  void eachDrawHasOtherPopularRows() throws WorkloadException {
    for (String distribution : List.of("hotspot", "zipfian")) {
      Set<String> all = new HashSet<>();
      int sum = 0;
      for (int draw = 0; draw < 5; draw++) {
        Set<String> popular = popular(distribution, Integer.toString(draw));
        assertEquals(popular, popular(distribution, Integer.toString(draw)), "the same again");
        assertTrue(distribution.equals("zipfian") || popular.size() == 10, popular.toString());
        assertFalse(popular.isEmpty());
        all.addAll(popular);
        sum += popular.size();
      }
      assertTrue(all.size() > 0.9 * sum, distribution + ": " + all.size() + " of " + sum);
    }
  }

  /** A hot row of a draw is anywhere: as often in the first half of the keys as in the second. */
  @Test
  void drawnRowsLieAnywhere() throws WorkloadException {
    KeySpace keys = KeySpace.of(25, ROWS);
    List<String> sorted = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      sorted.add(new String(keys.key(i), StandardCharsets.ISO_8859_1));
    }
    sorted.sort(null);
    int first = 0;
    int all = 0;
    for (int draw = 1; draw <= 20; draw++) {
      for (String key : popular("hotspot", Integer.toString(draw))) {
        first += sorted.indexOf(key) < ROWS / 2 ? 1 : 0;
        all++;
      }
    }
    assertEquals(0.5 * all, first, 5 * Math.sqrt(0.25 * all));
  }

  @Test
  void updatesAreSeenInTheVersionThatWasWritten() throws WorkloadException {
    load("updateproportion=0.5", "winnow.batch=3");
    assertRight(3000);
    start(); // a later run knows nothing of what an earlier one wrote
    assertRight(3000);
  }

  @Test
  void lostRowIsADifference() throws WorkloadException {
    load();
    db.rows.remove(db.rows.firstKey());
    assertDiffers();
  }

  @Test
  void lostUpdateIsADifference() throws WorkloadException {
    load("updateproportion=0.5");
    Map<String, Map<String, byte[]>> loaded = new HashMap<>(db.rows);
    assertRight(100);
    db.rows.putAll(loaded);
    assertDiffers();
  }

  @Test
  void olderFilesVersionIsADifference() throws WorkloadException {
    load("winnow.files=8", "winnow.rewritten=1");
    KeySpace keys = KeySpace.of(25, ROWS);
    byte[] key = keys.key(17);
    db.update("usertable", new String(key), iterators(RowValues.byName(key, 6)));
    assertDiffers();
  }

  @Test
  void versionOfTheFutureIsADifference() throws WorkloadException {
    load();
    byte[] key = KeySpace.of(25, ROWS).key(17);
    long tomorrow = (System.currentTimeMillis() + 86_400_000) * 1000;
    db.update("usertable", new String(key), iterators(RowValues.byName(key, tomorrow)));
    assertDiffers();
  }

  @Test
  void rowThatMustNotBeThereIsADifference() throws WorkloadException {
    load("winnow.absent=0.5");
    byte[] key = KeySpace.of(25, ROWS).key(ROWS + 17);
    db.update("usertable", new String(key), iterators(RowValues.byName(key, 0)));
    assertDiffers();
  }

  @Test
  void spoiltColumnIsADifference() throws WorkloadException {
    for (String batch : List.of("1", "20")) {
      load("winnow.batch=" + batch);
      db.spoiler =
          row -> {
            row.remove("field2");
            return row;
          };
      assertDiffers();
      db.spoiler = row -> row;
    }
  }

  @Test
  void requestThatFailsFailsTheRun() throws WorkloadException {
    load();
    db.status = Status.ERROR;
    assertFalse(workload.doTransaction(db, thread));
    assertEquals(1, workload.counts().failures());
    assertThrows(IllegalStateException.class, workload::cleanup);
  }

  @Test
  void runWithoutOperationsFails() throws WorkloadException {
    load();
    assertThrows(IllegalStateException.class, workload::cleanup);
  }

  @Test
  void wrongPropertiesAreNamed() {
    for (String setting :
        List.of(
            "winnow.keylength=7",
            "winnow.keylength=ten",
            "winnow.batch=0",
            "winnow.absent=1.5",
            "winnow.absent=none",
            "updateproportion=-1",
            "requestdistribution=latest",
            "winnow.files=0",
            "winnow.rewritten=2",
            "recordcount=0")) {
      String[] parts = setting.split("=");
      Properties wrong = new Properties();
      wrong.setProperty("recordcount", "10");
      wrong.setProperty(parts[0], parts[1]);
      WorkloadException e =
          assertThrows(WorkloadException.class, () -> new ReadWorkload().init(wrong), setting);
      assertTrue(e.getMessage().contains(parts[1]), e.getMessage());
    }
  }

  private static Map<String, ByteIterator> iterators(Map<String, byte[]> values) {
    Map<String, ByteIterator> iterators = new HashMap<>();
    values.forEach((name, value) -> iterators.put(name, new ByteArrayByteIterator(value)));
    return iterators;
  }
}

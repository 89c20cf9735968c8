package io.winnow;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.countPositives;
import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.shuffled;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every filter owes, whatever its kind: no hash is ever lost, the rate is kept, the image
 * opens wherever it lies, a probe allocates nothing. A new filter subclasses this.
 */
public abstract class FilterContractTest {
  private static final double[] RATES = {0.5, 0.3, 0.1, 0x1p-7, 0.01, 0.001, 1e-4};
  private static final int PROBES = 150_000;

  /** The standard error of a filter's own estimate, relative; small filters know exactly. */
  private static final double ESTIMATE_ERROR = 0.001;

  /** A new builder of filters with this false-positive rate. */
  protected abstract FilterBuilder builder(double rate);

  /** The rate that a filter for so many keys must keep if this one was asked for. */
  protected double promisedRate(double rate, int keys) {
    return rate;
  }

  /** Bits per key, all headers included, that a filter at 1 % may take, by its number of keys. */
  protected abstract Map<Integer, Double> bitsPerKeyBounds();

  /** Numbers of keys at which the filter's shape changes, beside the usual ones. */
  protected abstract int[] keyCountsAtEdges(double rate);

  /** Distinct hashes that the filter, at the first attempt, puts into one and the same place. */
  protected abstract long[] crowdedHashes(int count);

  private FilterBuilder builder() {
    return builder(0.01);
  }

  private static void assertHoldsAll(FilterImage image, long[] hashes) {
    MembershipFilter filter = image.open();
    for (long hash : hashes) {
      if (!filter.mightContain(hash)) {
        throw new AssertionError(
            String.format("lost hash 0x%016X: %s", hash, image.layout().describe()));
      }
    }
  }

  @Test
  void ofNothingContainsNothing() {
    FilterImage image = builder().finish();
    assertEquals(0, image.layout().keyCount());
    assertEquals(0, image.layout().estimatedRate());
    assertEquals(0, image.layout().bitsPerKey());
    assertEquals(64, image.sizeInBytes());
    assertEquals(0, countPositives(image.open(), 1, 10_000));
    assertFalse(image.open().mightContain(0));
  }

  @Test
  void ofOneHashContainsIt() {
    for (long hash : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, splitMix(2, 0)}) {
      FilterImage image = build(builder(), hash);
      assertEquals(1, image.layout().keyCount());
      assertHoldsAll(image, new long[] {hash});
    }
  }

  @Test
  void repeatsAreOneKey() {
    FilterBuilder builder = builder();
    for (int i = 0; i < 1000; i++) {
      builder.add(42);
    }
    FilterImage image = builder.finish();
    assertEquals(1, image.layout().keyCount());
    assertArrayEquals(bytes(build(builder(), 42)), bytes(image));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 10, 1000, 1025, 20_000, 70_000})
  void keyCountIsExactWhateverIsRepeated(int keys) {
    long[] hashes = distinct(keys, keys);
    byte[] once = bytes(build(builder(), hashes));

    FilterBuilder adjacent = builder();
    FilterBuilder apart = builder();
    FilterBuilder fewApart = builder();
    for (long hash : hashes) {
      adjacent.add(hash);
      adjacent.add(hash);
    }
    for (int round = 0; round < 7; round++) {
      for (long hash : shuffled(hashes, round)) {
        apart.add(hash);
      }
    }
    for (int i = 0; i < keys; i++) {
      fewApart.add(hashes[i]);
      if (i % 100 == 99) {
        fewApart.add(hashes[i / 2]);
      }
    }
    for (FilterBuilder builder : List.of(adjacent, apart, fewApart)) {
      FilterImage image = builder.finish();
      assertEquals(keys, image.layout().keyCount());
      assertHoldsAll(image, hashes);
      assertArrayEquals(once, bytes(image), "the image is that of the set");
    }
  }

  @Test
  void imageDependsOnTheSetAlone() {
    for (int keys : new int[] {3, 500, 5000, 60_000}) {
      long[] hashes = distinct(keys, keys);
      byte[] expected = bytes(build(builder(), hashes));
      assertArrayEquals(expected, bytes(build(builder(), shuffled(hashes, 1))));
      assertArrayEquals(expected, bytes(build(builder(), shuffled(hashes, 2))));
    }
  }

  @Test
  void builderServesAgainAfterFinish() {
    FilterBuilder builder = builder();
    for (int keys : new int[] {30_000, 0, 5, 70_000, 1, 30_000}) {
      long[] hashes = distinct(keys + 7, keys);
      builder.clear(); // so that the filter of no keys is one that is wanted
      FilterImage image = build(builder, hashes);
      assertEquals(0, builder.pendingCount());
      refused(builder::finish, "0 keys were added since the last finish()");
      assertHoldsAll(image, hashes);
      assertArrayEquals(bytes(build(builder(), hashes)), bytes(image), "as from a new builder");
    }
  }

  @Test
  void adversarialHashesAreNeverLost() {
    int keys = 20_000;
    List<long[]> sets = new ArrayList<>();
    for (int shift = 0; shift <= 48; shift += 6) {
      long[] multiples = new long[keys];
      for (int i = 0; i < keys; i++) {
        multiples[i] = (long) i << shift;
      }
      sets.add(multiples);
    }
    long[] sameTop = new long[keys];
    long[] sameBottom = new long[keys];
    long[] descending = new long[keys];
    for (int i = 0; i < keys; i++) {
      sameTop[i] = 0xABCDEF0123L << 24 | splitMix(3, i) & 0xFFFFFF;
      sameBottom[i] = splitMix(3, i) << 24 | 0xABCDEF;
      descending[i] = -i;
    }
    sets.add(sameTop);
    sets.add(sameBottom);
    sets.add(descending);
    sets.add(crowdedHashes(keys));
    for (long[] hashes : sets) {
      FilterImage image = build(builder(), hashes);
      assertHoldsAll(image, hashes);
      Set<Long> set = new HashSet<>();
      for (long hash : hashes) {
        set.add(hash);
      }
      assertEquals(set.size(), image.layout().keyCount());
      assertRateIsKept(image, 0.01, set.size());
    }
  }

  /** A few crowded hashes among ordinary ones must not spoil the rate of the others. */
  @Test
  void crowdedHashesAmongOthers() {
    long[] hashes = distinct(4, 20_000);
    long[] crowded = crowdedHashes(2000);
    System.arraycopy(crowded, 0, hashes, 5000, crowded.length);
    FilterImage image = build(builder(), hashes);
    assertHoldsAll(image, hashes);
    assertEquals(hashes.length, image.layout().keyCount());
    assertRateIsKept(image, 0.01, hashes.length);
  }

  @Test
  void rateIsKeptAtEverySize() {
    for (double rate : RATES) {
      FilterBuilder builder = builder(rate);
      for (int keys : keyCounts(rate)) {
        long[] hashes = distinct(Double.doubleToLongBits(rate) + keys, keys);
        FilterImage image = build(builder, hashes);
        assertHoldsAll(image, hashes);
        assertEquals(keys, image.layout().keyCount());
        assertEquals(rate, image.layout().configuredRate());
        assertRateIsKept(image, rate, keys);
      }
    }
  }

  private Iterable<Integer> keyCounts(double rate) {
    Set<Integer> counts = new TreeSet<>(List.of(1, 2, 3, 5, 10, 20, 50, 100));
    for (int power = 32; power <= 131_072; power *= power < 4096 ? 2 : 4) {
      counts.addAll(List.of(power - 1, power, power + 1));
    }
    counts.addAll(List.of(1000, 10_000, 145_000, 150_001));
    for (int keys : keyCountsAtEdges(rate)) {
      counts.addAll(List.of(Math.max(1, keys - 1), Math.max(1, keys), keys + 1));
    }
    return counts;
  }

  private void assertRateIsKept(FilterImage image, double rate, int keys) {
    double promised = promisedRate(rate, keys);
    double estimated = image.layout().estimatedRate();
    String what = keys + " keys at " + rate + ": " + image.layout().describe();
    assertTrue(estimated <= promised, () -> estimated + " estimated, " + what);
    double measured = countPositives(image.open(), keys, PROBES) / (double) PROBES;
    double sigma = Math.sqrt(promised * (1 - promised) / PROBES);
    assertTrue(measured <= promised + 5 * sigma, () -> measured + " measured, " + what);
    double variance = estimated * (1 - estimated) / PROBES;
    double estimateSigma = Math.sqrt(variance + Math.pow(ESTIMATE_ERROR * estimated, 2));
    assertTrue(
        Math.abs(measured - estimated) <= 5 * estimateSigma + 1.0 / PROBES,
        () -> measured + " measured, " + estimated + " estimated, " + what);
  }

  @Test
  void sizeStaysInBounds() {
    bitsPerKeyBounds()
        .forEach(
            (keys, bound) -> {
              FilterImage image = build(builder(), distinct(6, keys));
              double bits = image.layout().bitsPerKey();
              assertTrue(
                  bits <= bound,
                  () -> keys + " keys: " + bits + " bits per key, " + image.layout().describe());
              assertEquals(8.0 * image.sizeInBytes() / keys, bits);
            });
  }

  /** The bytes in every kind of buffer, in both byte orders; the order is never asked for. */
  private static List<ByteBuffer> everyBuffer(byte[] bytes, int offset) {
    byte[] padded = new byte[bytes.length + 2 * offset];
    Arrays.fill(padded, (byte) 0x5A);
    System.arraycopy(bytes, 0, padded, offset, bytes.length);
    ByteBuffer heap = ByteBuffer.wrap(padded, offset, bytes.length);
    ByteBuffer direct = ByteBuffer.allocateDirect(padded.length);
    direct.put(0, padded).position(offset).limit(offset + bytes.length);
    List<ByteBuffer> buffers = new ArrayList<>();
    for (ByteBuffer whole : List.of(heap, direct)) {
      for (ByteBuffer part :
          List.of(
              whole, whole.asReadOnlyBuffer(), whole.slice(), whole.slice().asReadOnlyBuffer())) {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
          buffers.add(part.duplicate().order(order));
        }
      }
    }
    return buffers;
  }

  /** No public door loses a key: any buffer, any byte order, by hash, by batch and by key. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 5000})
  void noDoorLosesAKey(int keyCount) {
    for (KeyHash function : TestHashes.functions()) {
      noDoorLosesAKey(keyCount, function);
    }
  }

  private void noDoorLosesAKey(int keyCount, KeyHash function) {
    byte[][] keys = new byte[keyCount][];
    FilterBuilder builder = builder().hashedBy(function);
    for (int i = 0; i < keyCount; i++) {
      keys[i] = ("key-" + i).getBytes(StandardCharsets.UTF_8);
      builder.add(keys[i]);
    }
    FilterImage image = builder.finish();
    byte[] bytes = bytes(image);
    int offset = 13;
    List<ImageFilter> filters = new ArrayList<>(List.of(image.open()));
    for (ByteBuffer buffer : everyBuffer(bytes, offset)) {
      ByteBuffer before = buffer.duplicate();
      ByteOrder order = buffer.order();
      filters.add(Filters.open(buffer));
      filters.add(Filters.openUnverified(buffer));
      Filters.verifyPayload(buffer);
      assertEquals(before.position(), buffer.position());
      assertEquals(before.limit(), buffer.limit());
      assertEquals(order, buffer.order());
      filters.add(Filters.open(filters.get(filters.size() - 1).image()));
    }
    List<LongPredicate> doors = new ArrayList<>();
    List<FilterLayout> layouts = new ArrayList<>(List.of(image.layout()));
    for (ImageFilter filter : filters) {
      assertEquals(image.sizeInBytes(), filter.sizeInBytes());
      assertEquals(image.layout().type(), filter.type());
      assertEquals(function, filter.keyHash());
      doors.add(filter::mightContain);
      doors.add(hash -> filter.mightContain(new long[] {0, hash}, 1, 1) == 1);
      layouts.add(filter.layout());
    }
    for (ByteBuffer buffer : everyBuffer(bytes, offset)) {
      int at = buffer.position();
      FilterLayout layout = Filters.readLayout(ByteAccess.BUFFER, buffer, at, bytes.length);
      Filters.verifyPayload(ByteAccess.BUFFER, buffer, at, bytes.length);
      layouts.add(layout);
      doors.add(hash -> layout.mightContain(ByteAccess.BUFFER, buffer, at, hash));
      long[] one = new long[1];
      doors.add(
          hash -> {
            one[0] = hash;
            return layout.mightContain(ByteAccess.BUFFER, buffer, at, one, 0, 1) == 1;
          });
    }
    byte[] padded = everyBuffer(bytes, offset).get(0).array();
    FilterLayout inArray = Filters.readLayout(ByteAccess.ARRAY, padded, offset, bytes.length);
    doors.add(hash -> inArray.mightContain(ByteAccess.ARRAY, padded, offset, hash));
    byte[][] pieces = SplitBytes.split(bytes, offset, 101);
    ByteAccess<byte[][]> split = new SplitBytes(offset, offset + bytes.length);
    FilterLayout inPieces = Filters.readLayout(split, pieces, offset, bytes.length);
    Filters.verifyPayload(split, pieces, offset, bytes.length);
    doors.add(hash -> inPieces.mightContain(split, pieces, offset, hash));
    layouts.addAll(List.of(inArray, inPieces));
    for (FilterLayout layout : layouts) {
      assertEquals(image.layout().describe(), layout.describe());
    }

    MembershipFilter expected = image.open();
    for (int i = 0; i < keyCount + 500; i++) {
      long hash = i < keyCount ? function.hash(keys[i]) : splitMix(9, i);
      boolean answer = expected.mightContain(hash);
      assertTrue(answer || i >= keyCount);
      for (int door = 0; door < doors.size(); door++) {
        assertEquals(answer, doors.get(door).test(hash), "door " + door);
      }
    }
    for (ImageFilter filter :
        List.of(filters.get(0), filters.get(5), filters.get(filters.size() - 1))) {
      for (byte[] key : keys) {
        assertTrue(filter.mightContain(key));
        for (ByteBuffer buffer : everyBuffer(key, 3)) {
          assertTrue(filter.mightContain(buffer));
          assertEquals(key.length, buffer.remaining());
        }
        byte[] around = everyBuffer(key, 3).get(0).array();
        assertTrue(filter.mightContain(around, 3, key.length));
      }
      for (int i = 0; i < 100; i++) {
        byte[] other = ("other-" + i).getBytes(StandardCharsets.UTF_8);
        boolean answer = filter.mightContain(function.hash(other));
        assertEquals(answer, filter.mightContain(other));
        assertEquals(answer, filter.mightContain(other, 0, other.length));
        assertEquals(answer, filter.mightContain(ByteBuffer.wrap(other)));
      }
    }
  }

  @Test
  void keysGoInThroughEveryDoor() {
    byte[] key = "some key".getBytes(StandardCharsets.UTF_8);
    byte[] expected = bytes(build(builder().hashesOf(KeyHash.XXH3), KeyHash.XXH3.hash(key)));
    List<Consumer<FilterBuilder>> doors = new ArrayList<>();
    doors.add(builder -> builder.add(key));
    doors.add(builder -> builder.add(everyBuffer(key, 5).get(0).array(), 5, key.length));
    for (ByteBuffer buffer : everyBuffer(key, 5)) {
      doors.add(builder -> builder.add(buffer));
    }
    doors.add(
        builder -> {
          builder.hashesOf(KeyHash.XXH3);
          builder.add(new long[] {1, KeyHash.XXH3.hash(key), 2}, 1, 1);
        });
    for (Consumer<FilterBuilder> door : doors) {
      FilterBuilder builder = builder().hashedBy(KeyHash.XXH3);
      door.accept(builder);
      assertArrayEquals(expected, bytes(builder.finish()));
    }
  }

  /** Key and hash cannot disagree: who did not say the function is told so. */
  @Test
  void theFunctionIsChosenOnceAndKnownToTheFilter() {
    byte[] key = {1, 2, 3};
    FilterBuilder untold = builder();
    untold.add(7);
    assertThrows(IllegalStateException.class, () -> untold.add(key));
    assertThrows(IllegalStateException.class, () -> untold.hashedBy(KeyHash.XXH3));
    ImageFilter byHash = untold.finish().open();
    assertTrue(byHash.mightContain(7));
    assertThrows(IllegalStateException.class, () -> byHash.mightContain(key));
    assertThrows(IllegalStateException.class, () -> byHash.mightContain(ByteBuffer.wrap(key)));
    for (KeyHash function : TestHashes.functions()) {
      FilterBuilder builder = builder().hashedBy(function);
      builder.add(key);
      assertSame(builder, builder.hashedBy(function));
      refused(() -> builder.add(function.hash(key)), "hashesOf(KeyHash)");
      refused(() -> builder.add(new long[1], 0, 1), "hashesOf(KeyHash)");
      refused(() -> builder.hashesOf(function), "keys were added already");
      ImageFilter filter = builder.finish().open();
      assertEquals(function, filter.keyHash());
      assertTrue(filter.mightContain(key) && filter.mightContain(function.hash(key)));
      builder.add(key);
      builder.clear();
      assertEquals(0, builder.pendingCount());
      assertEquals(0, builder.finish().layout().keyCount());
    }
  }

  private static void refused(Runnable misuse, String words) {
    var e = assertThrows(IllegalStateException.class, misuse::run);
    assertTrue(e.getMessage().contains(words), e.getMessage());
  }

  /** Who hashes alone says by which function; then keys of bytes are what is refused. */
  @Test
  void hashesOfAFunctionMakeAFilterThatIsAskedByKey() {
    byte[] key = {1, 2, 3};
    for (KeyHash function : TestHashes.functions()) {
      FilterBuilder builder = builder().hashesOf(function);
      builder.add(function.hash(key));
      refused(() -> builder.add(key), "hashedBy(KeyHash)");
      ImageFilter filter = builder.finish().open();
      assertEquals(function, filter.keyHash());
      assertTrue(filter.mightContain(key));
    }
  }

  /** Keys of a shard that was chosen by some bits of the same hash keep the rate. */
  @Test
  void shardsKeepTheRate() {
    for (int shift : new int[] {0, 31, 63}) {
      for (int bits = 1; bits <= 8; bits++) {
        long mask = (1L << bits) - 1;
        int low = shift == 63 ? 64 - bits : shift;
        long shard = 0x5A & mask;
        LongUnaryOperator toShard = hash -> hash & ~(mask << low) | shard << low;
        FilterBuilder builder = builder();
        int keys = 20_000;
        for (int i = 0; i < keys; i++) {
          builder.add(toShard.applyAsLong(splitMix(bits, i)));
        }
        FilterImage image = builder.finish();
        MembershipFilter filter = image.open();
        int positives = 0;
        for (int i = 0; i < PROBES; i++) {
          positives += filter.mightContain(toShard.applyAsLong(splitMix(99, i))) ? 1 : 0;
        }
        double promised = promisedRate(0.01, keys);
        double sigma = Math.sqrt(promised * (1 - promised) / PROBES);
        double measured = positives / (double) PROBES;
        String what = measured + " in a shard of " + bits + " bits from " + low;
        assertTrue(measured <= promised + 5 * sigma, what);
      }
    }
  }

  /** On and off heap, for every number of hashes, wherever they stand in their array. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 5000, 40_000})
  void batchesAnswerAsSingleProbes(int keys) {
    long[] hashes = distinct(13, keys + 3000);
    long[] probes = shuffled(hashes, 1);
    FilterImage image = build(builder(0.1), Arrays.copyOf(hashes, keys));
    ByteBuffer direct = ByteBuffer.allocateDirect(image.sizeInBytes()).put(0, bytes(image));
    for (MembershipFilter filter : List.of(image.open(), Filters.open(direct))) {
      for (int from = 0, count = 0; from + count <= probes.length; from += count, count++) {
        count %= 65;
        long expected = 0;
        for (int i = 0; i < count; i++) {
          expected |= (filter.mightContain(probes[from + i]) ? 1L : 0L) << i;
        }
        assertEquals(expected, filter.mightContain(probes, from, count), count + " from " + from);
      }
      assertEquals(0, filter.mightContain(probes, probes.length, 0));
      for (int count : new int[] {-1, 65, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
        assertThrows(IllegalArgumentException.class, () -> filter.mightContain(probes, 0, count));
        assertThrows(
            IllegalArgumentException.class,
            () -> image.layout().mightContain(ByteAccess.BUFFER, direct, 0, probes, 0, count));
      }
      for (int from : new int[] {-1, probes.length - 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
        assertThrows(IndexOutOfBoundsException.class, () -> filter.mightContain(probes, from, 2));
      }
    }
  }

  @Test
  void probesAllocateNothing() {
    byte[] bytes = bytes(build(builder(), distinct(10, 10_000)));
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    FilterLayout layout = Filters.readLayout(ByteAccess.ARRAY, bytes, 0, bytes.length);
    byte[][] pieces = SplitBytes.split(bytes, 0, 1000);
    ByteAccess<byte[][]> split = new SplitBytes(0, bytes.length);
    MembershipFilter onHeap = Filters.open(ByteBuffer.wrap(bytes));
    MembershipFilter offHeap = Filters.open(direct);
    MembershipFilter readOnly = Filters.open(ByteBuffer.wrap(bytes).asReadOnlyBuffer());
    int[] positives = new int[1];
    long[] batch = distinct(13, 64);
    List<Runnable> probes =
        List.of(
            () -> {
              for (int i = 0; i < 100_000; i++) {
                positives[0] += Long.bitCount(onHeap.mightContain(batch, i % 44, 20));
              }
            },
            () -> {
              for (int i = 0; i < 100_000; i++) {
                positives[0] += Long.bitCount(offHeap.mightContain(batch, i % 44, 20));
              }
            },
            () -> positives[0] += countPositives(onHeap, 1, 1_000_000),
            () -> positives[0] += countPositives(offHeap, 1, 1_000_000),
            () -> positives[0] += countPositives(readOnly, 1, 1_000_000),
            () -> {
              for (int i = 0; i < 1_000_000; i++) {
                if (layout.mightContain(ByteAccess.ARRAY, bytes, 0, i)) {
                  positives[0]++;
                }
              }
            },
            () -> {
              for (int i = 0; i < 1_000_000; i++) {
                if (layout.mightContain(split, pieces, 0, i)) {
                  positives[0]++;
                }
              }
            });
    for (Runnable probe : probes) {
      probe.run();
      long allocated = Allocation.bytesOf(probe);
      assertTrue(allocated < 10_000, allocated + " bytes in a million probes");
    }
    assertTrue(positives[0] > 0);
  }

  @Test
  void threadsShareAFilter() throws InterruptedException, ExecutionException {
    long[] hashes = distinct(11, 20_000);
    FilterImage image = build(builder(), hashes);
    ByteBuffer direct = ByteBuffer.allocateDirect(image.sizeInBytes()).put(0, bytes(image));
    MembershipFilter filter = Filters.open(direct);
    int expected = countPositives(filter, 12, 200_000);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      Callable<Boolean> probing =
          () -> {
            boolean all = countPositives(filter, 12, 200_000) == expected;
            for (long hash : hashes) {
              all &= filter.mightContain(hash);
            }
            return all;
          };
      for (Future<Boolean> answer :
          threads.invokeAll(List.of(probing, probing, probing, probing))) {
        assertTrue(answer.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Replay a failure with {@code -Dwinnow.seed=...}. */
  @Test
  void randomSequencesAgainstAModel() {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    Random random = new Random(seed);
    FilterBuilder builder = builder();
    for (int round = 0; round < 300; round++) {
      Set<Long> model = new HashSet<>();
      List<Long> added = new ArrayList<>();
      int adds = random.nextInt(10) == 0 ? random.nextInt(30_000) : random.nextInt(400);
      int bits = 1 + random.nextInt(64); // few bits make many repeats
      int shift = random.nextInt(65 - bits);
      for (int i = 0; i < adds; i++) {
        long hash =
            !added.isEmpty() && random.nextInt(8) == 0
                ? added.get(added.size() - 1 - random.nextInt(Math.min(added.size(), 50)))
                : random.nextLong() >>> (64 - bits) << shift;
        builder.add(hash);
        model.add(hash);
        added.add(hash);
        assertTrue(builder.pendingCount() >= model.size() && builder.pendingCount() <= i + 1);
      }
      if (adds == 0) {
        builder.clear();
      }
      FilterImage image = builder.finish();
      MembershipFilter filter = image.open();
      String where = "winnow.seed=" + seed + " round " + round;
      assertEquals(model.size(), image.layout().keyCount(), where);
      for (long hash : model) {
        assertTrue(filter.mightContain(hash), where);
      }
    }
  }

  protected static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }
}

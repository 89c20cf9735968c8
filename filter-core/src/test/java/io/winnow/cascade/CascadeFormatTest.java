package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import io.winnow.TestHashes;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.RecordLog;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directory that {@code docs/format/cascade-v2.md} goes through: two levels, and two logs of
 * which a crash has cut the second. It is written equal, read equal, and what the page shows of it
 * is compared byte by byte; the answers are computed once more as the page says, without a filter.
 */
class CascadeFormatTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/cascade-v2/two-levels");
  private static final Path PAGE = Path.of("../docs/format/cascade-v2.md");
  private static final SlotShape SHAPE = new SlotShape(24, true);
  private static final int PAGE_BYTES = 4096;
  private static final int KEYS = 13;

  /** A random number in practice; the levels have this one and their own number more. */
  private static final long ID = 0x5EED0000C0FFEE00L;

  /** How many copies of each key there are in the end. */
  private static final int[] COPIES = {0, 0, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1};

  @TempDir private Path temporary;

  private static CascadeOptions options() {
    return CascadeOptions.defaults().expectedMaximum(1 << 20).rate(1.0 / 16).deletes(true);
  }

  private static long key(int i) {
    return TestHashes.splitMix(0, i);
  }

  private static long insert(int i) {
    return SHAPE.slot(SHAPE.fingerprint(key(i)));
  }

  private static long delete(int i) {
    return SHAPE.tombstone(SHAPE.fingerprint(key(i)));
  }

  // ---- How it came about ----

  private static void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    Manifest.LevelEntry older =
        writeLevel(directory, 1, 2, LongStream.range(0, 11).map(i -> insert((int) Math.min(i, 8))));
    Manifest.LevelEntry newer =
        writeLevel(
            directory,
            3,
            1,
            LongStream.of(
                delete(0),
                delete(8),
                delete(8),
                insert(8),
                delete(9),
                delete(9),
                insert(9),
                insert(10)));
    new Manifest(ID, SHAPE, KeyHash.XXH3, PAGE_BYTES)
        .writtenBy(1000, 4)
        .with(4, 5, Doubt.none(SHAPE), List.of(newer, older))
        .write(FileAccess.SYSTEM, directory);
    RecordLog log = RecordLog.create(FileAccess.SYSTEM, directory, ID, 5, 1, 1 << 16);
    log.append(insert(11));
    log.append(delete(1));
    log.force();
    log.close();
    RecordLog cut = RecordLog.create(FileAccess.SYSTEM, directory, ID, 6, 1, 1 << 16);
    cut.append(insert(12));
    cut.write();
    cut.append(insert(12));
    cut.write();
    cut.close();
    Path file = RecordLog.path(directory, 6);
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 48 + 17));
  }

  private static Manifest.LevelEntry writeLevel(
      Path directory, long number, int rank, LongStream operations) throws IOException {
    SlotBuffer slots = new SlotBuffer();
    long[] sorted = operations.sorted().toArray();
    slots.ensure(sorted.length);
    System.arraycopy(sorted, 0, slots.slots, 0, sorted.length);
    slots.size = sorted.length;
    int r = SlotShape.bestRemainderBits(SHAPE.bits(), sorted.length, SHAPE.minRemainderBits());
    try (CodedPages pages = CodedPages.of(SHAPE, slots, r, PAGE_BYTES);
        PageStore store =
            PageStore.create(
                FileAccess.SYSTEM,
                directory.resolve("level-" + number),
                PAGE_BYTES,
                ID + number,
                true,
                new IoCounters())) {
      pages.appendTo(store);
      LevelFile.append(store, number, sorted.length, new int[] {pages.fences[0]});
    }
    return new Manifest.LevelEntry(number, rank, sorted.length, 1, ID + number);
  }

  /** A reader takes what it has opened only if the manifest is still equal to the one before. */
  @Test
  void aManifestIsEqualToTheSameOneReadAgainAndToNoneWithOtherClosedLogs() throws IOException {
    Manifest open = new Manifest(ID, SHAPE, KeyHash.XXH3, PAGE_BYTES);
    Manifest closed = open.closed(Map.of(1L, 40L));
    closed.write(FileAccess.SYSTEM, temporary);
    assertEquals(closed.text(), Manifest.read(temporary).text());
    assertNotEquals(open, closed);
    assertNotEquals(open.closed(Map.of(1L, 41L)), closed);
  }

  @Test
  void writtenEqual() throws IOException {
    Path written = temporary.resolve("written");
    write(written);
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(GOLDEN)) {
      copy(written, GOLDEN);
    }
    for (String file : names(GOLDEN)) {
      assertArrayEquals(
          Files.readAllBytes(GOLDEN.resolve(file)),
          Files.readAllBytes(written.resolve(file)),
          file);
    }
    assertEquals(names(GOLDEN), names(written));
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (String file : names(from)) {
      Files.copy(from.resolve(file), to.resolve(file));
    }
  }

  @Test
  void readEqual() throws IOException {
    Path directory = temporary.resolve("read");
    copy(GOLDEN, directory);
    try (CascadeFilter filter = CascadeFilter.open(directory, options())) {
      for (int i = 0; i < KEYS; i++) {
        assertEquals(COPIES[i] > 0, filter.mightContain(key(i)), "key " + i);
      }
      int copies = 0;
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        while (fingerprints.next()) {
          copies++;
        }
      }
      assertEquals(Arrays.stream(COPIES).sum(), copies);
    }
    assertFalse(Files.exists(directory.resolve("log-7.new")));
  }

  // ---- The same by the page alone ----

  /** The slots of a page, from the formulas, bit by bit. */
  private static List<Long> plainSlots(byte[] file) {
    ByteBuffer page = ByteBuffer.wrap(file, 8, PAGE_BYTES - 8).slice();
    page.order(ByteOrder.LITTLE_ENDIAN);
    int words = (PAGE_BYTES - 8) / 8;
    int count = page.getInt(0);
    int r = page.get(4);
    long base = page.getLong(8);
    byte[] reversed = new byte[8 * words];
    for (int i = 0; i < reversed.length; i++) {
      reversed[i] = page.get(reversed.length - 1 - i);
    }
    BigInteger bits = new BigInteger(1, reversed);
    List<Long> slots = new ArrayList<>();
    for (int bit = 128; slots.size() < count; bit++) {
      if (bits.testBit(bit)) {
        int i = slots.size();
        long quotient = bit - 128 - i;
        BigInteger mask = BigInteger.ONE.shiftLeft(r).subtract(BigInteger.ONE);
        long remainder = bits.shiftRight(64 * words - (i + 1) * r).and(mask).longValueExact();
        slots.add(base + (quotient << r) + remainder);
      }
    }
    return slots;
  }

  private static List<Long> plainLog(byte[] file) {
    ByteBuffer log = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    List<Long> slots = new ArrayList<>();
    int at = 0;
    while (at + 40 <= file.length && at + 40 + log.getInt(at + 4) <= file.length) {
      for (int i = 0; i < log.getInt(at + 4); i += 8) {
        slots.add(log.getLong(at + 40 + i));
      }
      at += 40 + log.getInt(at + 4);
    }
    return slots;
  }

  @Test
  void copiesAreAsThePageComputesThem() throws IOException {
    List<Long> older = plainSlots(Files.readAllBytes(GOLDEN.resolve("level-1")));
    List<Long> newer = plainSlots(Files.readAllBytes(GOLDEN.resolve("level-3")));
    List<Long> logged = new ArrayList<>(plainLog(Files.readAllBytes(GOLDEN.resolve("log-5"))));
    logged.addAll(plainLog(Files.readAllBytes(GOLDEN.resolve("log-6"))));
    for (int i = 0; i < KEYS; i++) {
      long key = insert(i);
      long copies = 0;
      for (List<Long> level : List.of(older, newer)) {
        long tombstones = level.stream().filter(slot -> slot == key + 1).count();
        long keys = level.stream().filter(slot -> slot == key).count();
        copies = Math.max(copies - tombstones, 0) + keys;
      }
      for (long slot : logged) {
        copies = slot == key ? copies + 1 : slot == key + 1 ? Math.max(copies - 1, 0) : copies;
      }
      assertEquals(COPIES[i], copies, "key " + i);
    }
  }

  // ---- What the page shows ----

  private static String dump(byte[] bytes, int from, int to) {
    StringBuilder dump = new StringBuilder();
    for (int at = from; at < to; at += 16) {
      String hex = HexFormat.ofDelimiter(" ").formatHex(bytes, at, Math.min(at + 16, to));
      dump.append(String.format("%4d  %s\n", at, hex));
    }
    return dump.toString();
  }

  private static void shows(String text) throws IOException {
    assertTrue(Files.readString(PAGE).contains(text), text);
  }

  @Test
  void thePageShowsTheFiles() throws IOException {
    shows(Files.readString(GOLDEN.resolve("MANIFEST"), StandardCharsets.US_ASCII));
    byte[] level = Files.readAllBytes(GOLDEN.resolve("level-3"));
    shows(dump(level, 0, 48));
    shows(dump(level, 4064, 4096));
    shows(dump(level, 4096, 4160));
    byte[] log = Files.readAllBytes(GOLDEN.resolve("log-5"));
    shows(dump(log, 0, log.length));
    byte[] cut = Files.readAllBytes(GOLDEN.resolve("log-6"));
    shows(dump(cut, 0, cut.length));
    for (int at : new int[] {48, 4160}) { // and between them there is nothing
      for (int i = at; i < (at == 48 ? 4064 : level.length); i++) {
        assertEquals(0, level[i], "byte " + i);
      }
    }
  }

  @Test
  void thePageShowsTheSlots() throws IOException {
    shows(String.format("fingerprint of 0x%016X", key(8)));
    for (int i : new int[] {0, 8, 9, 10}) {
      shows(String.format("| %d | `%06x` |", i, SHAPE.fingerprint(key(i))));
    }
    List<Long> slots = plainSlots(Files.readAllBytes(GOLDEN.resolve("level-3")));
    StringBuilder list = new StringBuilder();
    slots.forEach(slot -> list.append(String.format("%07x ", slot)));
    shows(list.toString().strip());
  }
}

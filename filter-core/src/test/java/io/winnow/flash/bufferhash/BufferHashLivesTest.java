package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.FlashDirectory;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lives of tables: keys are put, deleted and synced, the process ends without a close, and one page
 * is damaged. Then each key has the answer that it has without the damage, or its lookup fails; no
 * other page is changed; and {@link BufferHash#forgetLost} ends it. {@code
 * -Dwinnow.damage.lives=1000} for a thousand lives with each durability, {@code
 * -Dwinnow.damage.seed=N} for others than the usual ones.
 */
class BufferHashLivesTest extends BufferHashFaults {
  private static final int LIVES = Integer.getInteger("winnow.damage.lives", 12);
  private static final long FIRST_SEED = Long.getLong("winnow.damage.seed", 20261127);
  private static final int PAGE = 4096;

  /** What a key has whose lookup fails. */
  private static final long FAILS = -2;

  private static final long ABSENT = -1;

  private BufferHashOptions options;
  private int keys;

  @ParameterizedTest
  @CsvSource({"NONE, false", "NONE, true", "ON_SYNC, true", "EVERY_1, true", "EVERY_100, true"})
  void oneDamagedPageHidesNoKey(String durability, boolean whileWriting) throws IOException {
    int failed = 0;
    int tried = 0;
    for (int life = 0; life < LIVES; life++) {
      long seed = FIRST_SEED + life;
      Random random = new Random(seed ^ durability.hashCode());
      Path died = live(random, durability, whileWriting && seed % 2 == 0);
      for (int damage = 0; damage < 4; damage++) {
        String message = durability + " seed " + seed + " damage " + damage;
        Path damaged = directory.resolve("damaged");
        Tables.copy(died, damaged);
        boolean isWhole = durability.equals("NONE") && !whileWriting;
        if (damage(damaged, isWhole, whileWriting && seed % 2 == 0, random)) {
          tried++;
          failed += check(died, damaged, message) > 0 ? 1 : 0;
        }
        delete(damaged);
      }
      delete(died);
    }
    assertTrue(tried > LIVES, tried + " pages were damaged");
    assertTrue(
        !durability.equals("NONE") || failed > LIVES, failed + " of " + tried + " were noticed");
  }

  private static Durability durability(String name) {
    return name.equals("NONE")
        ? Durability.NONE
        : name.equals("ON_SYNC")
            ? Durability.ON_SYNC
            : Durability.everyN(Long.parseLong(name.substring("EVERY_".length())));
  }

  /**
   * Lets processes use a table one after the other, and returns a copy of what the last one left.
   *
   * @param whileWriting whether that one ends in any request; else it ends after a sync
   */
  private Path live(Random random, String durability, boolean whileWriting) throws IOException {
    int superTables = 1 << random.nextInt(3);
    boolean isLogged = durability(durability).isLogged();
    int slots = isLogged ? 50 : 2 + random.nextInt(6); // what logs bring back evicts nothing
    options =
        Tables.small(BufferHashOptions.ofFingerprints(40), superTables, slots)
            .filters(IncarnationFilterKind.values()[random.nextInt(2)])
            .durability(durability(durability));
    if (!isLogged && random.nextInt(4) == 0) {
      options.eviction(Eviction.keeping((hash, key, value) -> hash % 3 == 0));
    }
    keys = superTables * (100 + random.nextInt(2000));
    Path table = Files.createDirectory(directory.resolve("table"));
    Path died = directory.resolve("died");
    int processes = 1 + random.nextInt(3);
    for (int process = 1; process <= processes; process++) {
      boolean isLast = process == processes;
      SimulatedDrive machine = Tables.drive(table, random.nextLong());
      BufferHash open = BufferHash.open(table, options.fileAccess(machine));
      try {
        for (int syncs = 1 + random.nextInt(3); syncs > 0; syncs--) {
          use(open, random, random.nextInt(2 * keys));
          open.sync();
        }
        open.awaitWrites();
        if (isLast && whileWriting) {
          machine.stopIn(1 + random.nextInt(12 * superTables));
          while (true) {
            use(open, random, random.nextInt(keys));
            open.sync();
          }
        }
        if (isLast || random.nextBoolean()) {
          long[] before = answers(open);
          Tables.copy(table, died);
          machine.switchOff();
          try (BufferHash after = BufferHash.open(copy(died), options.fileAccess(drive))) {
            assertEquals(Arrays.toString(before), Arrays.toString(answers(after)));
          }
        }
      } catch (IOException e) {
        assertTrue(machine.isStopped(), e.toString());
        Tables.copy(table, died);
      } finally {
        closeAsItDies(open, machine);
      }
      if (Files.exists(died) && !isLast) {
        delete(table);
        Files.move(died, table);
      }
    }
    delete(table);
    return died;
  }

  private static void closeAsItDies(BufferHash table, SimulatedDrive machine) throws IOException {
    try {
      table.close();
    } catch (IOException e) {
      assertTrue(machine.isStopped(), e.toString());
    }
  }

  private void use(BufferHash table, Random random, int operations) throws IOException {
    for (int i = 0; i < operations; i++) {
      long key = key(random.nextInt(keys));
      if (random.nextInt(8) == 0) {
        table.delete(key);
      } else {
        byte[] value = new byte[8 + random.nextInt(33)];
        System.arraycopy(Tables.value(random.nextInt(Integer.MAX_VALUE)), 0, value, 0, 8);
        table.put(key, value);
      }
    }
  }

  private long[] answers(BufferHash table) throws IOException {
    long[] answers = new long[keys];
    for (int i = 0; i < keys; i++) {
      try {
        byte[] value = table.get(key(i));
        answers[i] = value == null ? ABSENT : Tables.number(value);
      } catch (DamagedPageException e) {
        answers[i] = FAILS;
      }
    }
    return answers;
  }

  /**
   * Damages a page. Unless it may be any, it is none of an oldest incarnation that was about to go.
   *
   * @param any whether it may be any page
   * @param safe whether it is none of an incarnation that no mark covers
   * @return false if there is none, or the damage is none
   */
  private boolean damage(Path table, boolean any, boolean safe, Random random) throws IOException {
    Path file = table.resolve(TableFile.NAME);
    byte[] bytes = Files.readAllBytes(file);
    List<Integer> pages = any ? pages(bytes) : pagesThatCount(table, bytes, safe);
    if (pages.isEmpty()) {
      return false;
    }
    int page = pages.get(random.nextInt(pages.size())) * PAGE;
    byte[] before = bytes.clone();
    switch (random.nextInt(4)) {
      case 0 -> Arrays.fill(bytes, page, page + PAGE, (byte) 0);
      case 1 -> {
        int at = page + 512 * (1 + random.nextInt(7));
        Arrays.fill(bytes, at, page + PAGE, (byte) random.nextInt());
      }
      default -> bytes[page + random.nextInt(PAGE)] ^= (byte) (1 << random.nextInt(8));
    }
    Files.write(file, bytes);
    return !Arrays.equals(before, bytes);
  }

  private static List<Integer> pages(byte[] table) {
    List<Integer> pages = new ArrayList<>();
    for (int page = 0; page < table.length / PAGE; page++) {
      if (!isBlank(table, page)) {
        pages.add(page);
      }
    }
    return pages;
  }

  private static boolean isBlank(byte[] table, int page) {
    int at = page * PAGE + 8;
    return Arrays.equals(table, at, page * PAGE + PAGE, new byte[PAGE - 8], 0, PAGE - 8);
  }

  private List<Integer> pagesThatCount(Path directory, byte[] table, boolean safe)
      throws IOException {
    Geometry geometry = BufferHashDirectory.read(directory);
    TableFile.Mark mark;
    FlashDirectory files = BufferHashDirectory.KIND.read(options.access, directory);
    try (OpenTable open = new OpenTable(files, geometry, options)) {
      mark = open.file.marks.newest();
    }
    List<Integer> pages = new ArrayList<>();
    for (int superTable = 0; superTable < geometry.superTables; superTable++) {
      long[] sequences = new long[geometry.slots];
      int newest = 0;
      for (int slot = 0; slot < geometry.slots; slot++) {
        for (int i = 0; i < geometry.slotPages(); i++) {
          int at = (int) (geometry.firstPage(superTable, slot) + i) * PAGE + 8;
          long sequence = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
          sequences[slot] = Math.max(sequences[slot], sequence);
        }
        newest = sequences[slot] > sequences[newest] ? slot : newest;
      }
      for (int slot = 0; slot < geometry.slots; slot++) {
        boolean mayGo =
            mark.overwritten.contains(superTable) && slot == (newest + 1) % geometry.slots;
        boolean isUnsynced = safe && sequences[slot] > mark.safe;
        for (int i = 0; i < geometry.slotPages() && !mayGo && !isUnsynced; i++) {
          int page = (int) geometry.firstPage(superTable, slot) + i;
          if (!isBlank(table, page)) {
            pages.add(page);
          }
        }
      }
    }
    return pages;
  }

  /** Opens both directories, compares, and returns how many lookups of the damaged one fail. */
  private int check(Path whole, Path damaged, String message) throws IOException {
    long[] expected;
    try (BufferHash table = BufferHash.open(copy(whole), options.fileAccess(drive))) {
      expected = answers(table);
    }
    byte[] before = Files.readAllBytes(damaged.resolve(TableFile.NAME));
    BufferHash opened = BufferHash.open(damaged, options);
    long[] found = answers(opened);
    int failed = 0;
    for (int i = 0; i < keys; i++) {
      assertTrue(
          found[i] == expected[i] || found[i] == FAILS,
          message + ", key " + i + " has " + found[i] + ", and had " + expected[i]);
      failed += found[i] == FAILS ? 1 : 0;
    }
    opened.awaitWrites(); // a log that is deleted meanwhile cannot be copied
    Path again = copy(damaged); // and the process ends once more
    opened.close();
    assertHealthyPagesAreKept(before, Files.readAllBytes(again.resolve(TableFile.NAME)), message);
    try (BufferHash table = BufferHash.open(again, options)) {
      assertEquals(Arrays.toString(found), Arrays.toString(answers(table)), message);
      long forgotten = table.forgetLost();
      assertTrue(failed == 0 || forgotten > 0, message);
      for (int i = 0; i < keys; i++) {
        boolean fails = found[i] == FAILS;
        byte[] value = table.get(key(i));
        assertTrue(fails || (value == null ? ABSENT : Tables.number(value)) == found[i], message);
      }
      for (int i = 0; i < keys; i++) {
        table.put(key(i), Tables.value(i));
        assertEquals(i, Tables.number(table.get(key(i))), message);
      }
    }
    return failed;
  }

  /** With a log, an incarnation that no mark covers is taken from the log as a whole. */
  private void assertHealthyPagesAreKept(byte[] before, byte[] after, String message) {
    for (int page = Tables.ERASE_BLOCK / PAGE; page < before.length / PAGE; page++) {
      boolean kept =
          Arrays.equals(
              before, page * PAGE, (page + 1) * PAGE, after, page * PAGE, (page + 1) * PAGE);
      assertTrue(
          kept || options.durability.isLogged() || isBlank(before, page),
          message + ", page " + page + " was overwritten");
    }
  }

  /** A copy that the next one replaces. */
  private Path copy(Path from) throws IOException {
    Path copy = directory.resolve("copy");
    delete(copy);
    Tables.copy(from, copy);
    return copy;
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}

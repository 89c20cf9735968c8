package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A long random run of inserts, deletes, syncs and openings on a {@link SimulatedDrive}, beside a
 * plain map of fingerprints to copies.
 *
 * <p>The truth that is checked: what a power cut leaves is what some first operations come to: all
 * that were acknowledged, perhaps some more that were begun, each once and in order. Each number of
 * operations has a sum, over the fingerprints that are in by then and their copies; so it is enough
 * to look for the sum of what was left.
 */
final class FaultRun {
  private static final int KEYS = 120_000;
  private static final int MAX_COPIES = 40;
  private static final int FAULTS_PER_MILLION = 4000;
  private static final long FSYNC_NANOS = 500_000;

  private final Path temporary;
  private final boolean deletes;
  private final boolean logged;
  private final int fanOut;
  private final long seed;
  private final Random random;

  private final Map<Long, Integer> copies = new HashMap<>();

  /** What was done since the last operation that was acknowledged: a fingerprint and its change. */
  private final List<long[]> undo = new ArrayList<>();

  /** The sum after each number of operations. */
  private final long[] sums;

  private volatile long begun;
  private volatile long acknowledged;
  private Path directory;
  private SimulatedDrive drive;
  private CascadeFilter filter;
  private Durability durability;

  /** What a power cut left, to go on from, and how many operations it has; or null. */
  private Path next;

  private long operationsOfNext;
  private int lives;
  private int images;
  private int failures;

  FaultRun(Path temporary, boolean deletes, boolean logged, int fanOut, long seed, int operations)
      throws IOException {
    this.temporary = temporary;
    this.deletes = deletes;
    this.logged = logged;
    this.fanOut = fanOut;
    this.seed = seed;
    this.random = new Random(seed);
    this.sums = new long[operations + 2];
    this.directory = Files.createDirectory(temporary.resolve("life-0"));
    this.drive = newDrive();
  }

  private SimulatedDrive newDrive() throws IOException {
    SimulatedDrive made =
        new SimulatedDrive(
            directory, new Random(random.nextLong()), () -> acknowledged, () -> begun);
    made.beforeDirectoryFsync = () -> LockSupport.parkNanos(FSYNC_NANOS);
    return made;
  }

  private CascadeOptions options() {
    return CascadeOptions.defaults()
        .memoryBudget(1 << 19)
        .fanOut(fanOut)
        .deletes(deletes)
        .rate(1e-6)
        .expectedMaximum(1L << 33)
        .directIo(false);
  }

  /** Runs until there were so many operations and so many power cuts; what it came to in words. */
  String run(int operations, int cuts) throws IOException {
    open();
    while (begun < operations) {
      long behind = begun * cuts / operations + 1 - images;
      if (behind > 0 && !drive.isCutAhead()) { // with a log there are few requests
        drive.cutAfter(1 + random.nextInt(behind > 2 ? 2 : 30));
      }
      boolean goesOn = step();
      checkImage();
      if (!goesOn) {
        reopen();
      }
      if (next != null) {
        goOnFromImage();
      }
    }
    reopen();
    drive.switchOff();
    closeWhatIsLost();
    return String.format(
        "%d operations, %d power cuts, %d failures, %d lives", begun, images, failures, lives);
  }

  private String where() {
    return String.format(
        "seed %d, deletes %s, logged %s, fan-out %d, operation %d, %d acknowledged, image %d",
        seed, deletes, logged, fanOut, begun, acknowledged, images);
  }

  // ---- Operations ----

  /** False if the filter has to be opened again. */
  private boolean step() throws IOException {
    int kind = random.nextInt(20_000);
    if (kind < 60) {
      return sync();
    }
    if (kind < 62) {
      return false;
    }
    if (kind < 65) {
      try {
        filter.awaitMerges();
      } catch (IOException e) {
        failures++;
      }
      return true;
    }
    if (kind < 400) {
      lookUp();
    }
    return operate();
  }

  private boolean sync() throws IOException {
    long before = begun;
    try {
      filter.sync();
    } catch (IOException e) {
      failures++;
      return drive.failedSyncs() == 0 && random.nextBoolean();
    }
    checkImage();
    acknowledge(before);
    return true;
  }

  private void lookUp() {
    long key = TestHashes.splitMix(seed, random.nextInt(KEYS));
    if (copies.getOrDefault(filter.shape.fingerprint(key), 0) > 0) {
      assertTrue(filter.mightContain(key), () -> where() + ": a key is lost while it runs");
    }
  }

  private boolean operate() throws IOException {
    long key = TestHashes.splitMix(seed, random.nextInt(KEYS));
    boolean isDelete = deletes && random.nextInt(3) == 0;
    long fingerprint = filter.shape.fingerprint(key);
    int had = copies.getOrDefault(fingerprint, 0);
    if (!isDelete && had >= MAX_COPIES) {
      return true;
    }
    int change = isDelete ? (had > 0 ? -1 : 0) : deletes || had == 0 ? 1 : 0;
    begin(fingerprint, change);
    try {
      if (isDelete) {
        filter.delete(key);
      } else {
        filter.insert(key);
      }
    } catch (IOException e) {
      failures++;
      checkImage();
      if (drive.failedSyncs() > 0) {
        return false; // it may be there or not, when it is opened again
      }
      rollBack(begun - 1); // it has not happened
      return random.nextInt(10) > 0;
    }
    long safe = begun - durability.operations() + 1;
    if (logged && safe > acknowledged) {
      checkImage();
      acknowledge(Math.max(safe, acknowledged));
    }
    return true;
  }

  private void begin(long fingerprint, int change) {
    copies.merge(fingerprint, change, Integer::sum);
    undo.add(new long[] {fingerprint, change});
    sums[(int) begun + 1] = sums[(int) begun] + change * mixed(fingerprint);
    begun++;
  }

  private static long mixed(long fingerprint) {
    return TestHashes.splitMix(fingerprint, 1);
  }

  private void acknowledge(long operations) {
    if (operations > acknowledged) {
      int left = (int) (begun - operations);
      undo.subList(0, undo.size() - left).clear();
      acknowledged = operations;
    }
  }

  private void rollBack(long to) {
    while (begun > to) {
      long[] last = undo.remove(undo.size() - 1);
      copies.merge(last[0], (int) -last[1], Integer::sum);
      begun--;
    }
  }

  // ---- Openings and power cuts ----

  private void open() throws IOException {
    durability =
        !logged
            ? Durability.NONE
            : random.nextBoolean()
                ? Durability.ON_SYNC
                : Durability.everyN(random.nextBoolean() ? 3 : 700);
    filter = CascadeFilter.open(directory, options().durability(durability).fileAccess(drive));
    drive.setFaults(FAULTS_PER_MILLION);
    lives++;
  }

  /** Closes, or tries to, and opens what is there, which is safe from then on. */
  private void reopen() throws IOException {
    boolean closed = false;
    try {
      filter.close();
      closed = true;
    } catch (IOException e) {
      failures++;
    }
    checkImage();
    if (closed) {
      acknowledge(begun);
      check(drive.cutNow());
    }
    drive.setFaults(0);
    drive.cutAfter(0);
    checkImage();
    drive.forgetFailedSyncs();
    open();
    drive.setFaults(0);
    long there = operationsOf(filter, acknowledged, begun);
    rollBack(there);
    acknowledge(there);
    drive.setFaults(FAULTS_PER_MILLION);
  }

  private void closeWhatIsLost() {
    try {
      filter.close();
    } catch (IOException e) {
      // its drive is off
    }
  }

  /**
   * If the power was cut: opens what that left, with the power cut again on the way. Now and then
   * the run will go on from there.
   */
  private void checkImage() throws IOException {
    SimulatedDrive.Image image = drive.takeImage();
    if (image != null) {
      check(image);
    }
  }

  private void check(SimulatedDrive.Image image) throws IOException {
    images++;
    Path left = temporary.resolve("image-" + images);
    image.writeTo(left);
    SimulatedDrive second =
        new SimulatedDrive(left, new Random(random.nextLong()), () -> 0, () -> 0);
    second.cutAfter(1 + random.nextInt(60));
    long there = operationsOf(left, second, image.acknowledged(), image.begun());
    SimulatedDrive.Image again = second.takeImage();
    if (again != null) { // in the opening, or while it was closed
      delete(left);
      again.writeTo(left);
      operationsOf(left, FileAccess.SYSTEM, there, there);
    }
    if (next == null && random.nextInt(4) == 0) {
      next = left;
      operationsOfNext = there;
    } else {
      delete(left);
    }
  }

  private void goOnFromImage() throws IOException {
    Path left = next;
    next = null;
    if (operationsOfNext < acknowledged || operationsOfNext > begun) {
      delete(left); // there was an opening since, or an operation that has not happened is in
      return;
    }
    drive.switchOff();
    closeWhatIsLost();
    delete(directory);
    directory = left;
    drive = newDrive();
    rollBack(operationsOfNext);
    acknowledge(operationsOfNext);
    open();
  }

  /** How many operations a directory has. */
  private long operationsOf(Path left, FileAccess access, long least, long most)
      throws IOException {
    try (CascadeFilter found = CascadeFilter.open(left, options().fileAccess(access))) {
      return operationsOf(found, least, most);
    }
  }

  /** How many operations a filter has. */
  private long operationsOf(CascadeFilter found, long least, long most) throws IOException {
    long sum = 0;
    try (Fingerprints fingerprints = Fingerprints.of(found)) {
      while (fingerprints.next()) {
        sum += mixed(fingerprints.fingerprint());
      }
    }
    for (long n = most; n >= least; n--) {
      if (sums[(int) n] == sum) {
        return n;
      }
    }
    throw new AssertionError(
        where() + ": what is there is not what " + least + " to " + most + " operations come to");
  }

  private static void delete(Path files) throws IOException {
    try (Stream<Path> all = Files.list(files)) {
      for (Path file : all.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.delete(files);
  }
}

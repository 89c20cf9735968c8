package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.FaultyAccess;
import io.winnow.flash.drive.FileAccess;
import io.winnow.flash.drive.LogRecovery;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a power failure may take back, if an fsync of the directory did not come through. */
class CascadePowerFailureTest {
  private static final long SEED = 20261122;

  @TempDir private Path temporary;

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).fanOut(2).expectedMaximum(1_000_000);
  }

  private static void insert(CascadeFilter filter, long from, long to) throws IOException {
    long[] keys = LongStream.range(from, to).map(i -> TestHashes.splitMix(SEED, i)).toArray();
    filter.insert(keys, 0, keys.length);
  }

  private static long levelFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().startsWith("level-")).count();
    }
  }

  /**
   * The manifest was switched, and may be switched back: what the merge took in is in no log that
   * is synced any more, and no sync may promise it.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSyncPromisesNothingThatTheLastManifestMayLose(boolean logged) throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    Path directory = temporary.resolve("cascade");
    CascadeOptions options =
        options().fileAccess(faults).durability(logged ? Durability.ON_SYNC : Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      faults.replaced = false;
      faults.failingFsyncs = path -> path.equals(directory) && faults.replaced;
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      insert(filter, 0, capacity + 1); // with a next log, if there are any, which is made safe
      filter.awaitMerges();
      assertEquals(1, filter.statistics().levels().size());
      IOException refused = assertThrows(IOException.class, filter::sync);
      assertTrue(refused.getMessage().contains(directory.toString()), refused.getMessage());
      faults.failingFsyncs = path -> false;
      filter.sync();
      filter.awaitMerges(); // and what they took in is deleted
      assertEquals(filter.statistics().levels().size(), levelFiles(directory));
    }
  }

  /**
   * While a sync deletes a log, a memory level is frozen and written, and its log is closed without
   * an fsync: what the sync has to promise is in a level then, and the manifest is not safe.
   */
  @Test
  void aSyncPromisesNoLevelThatWasWrittenMeanwhileAndMayBeLost() throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    Path directory = temporary.resolve("cascade");
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().mergeThreads(2).fileAccess(faults))) {
      Predicate<Path> manifestIsNotSafe = path -> path.equals(directory) && faults.replaced;
      long capacity = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
      faults.replaced = false;
      faults.failingFsyncs = manifestIsNotSafe;
      insert(filter, 0, capacity + 1);
      filter.awaitMerges();
      faults.failingFsyncs = path -> false;
      AtomicBoolean first = new AtomicBoolean(true);
      faults.failingDeletes =
          path -> {
            if (path.equals(RecordLog.path(directory, 1)) && first.getAndSet(false)) {
              faults.replaced = false;
              faults.failingFsyncs = manifestIsNotSafe;
              assertDoesNotThrow(() -> insert(filter, capacity + 1, 2 * capacity + 2));
              while (filter.statistics().get(CascadeCount.FROZEN_ENTRIES) > 0) {
                Thread.onSpinWait();
              }
            }
            return false;
          };
      assertThrows(IOException.class, filter::sync);
      assertFalse(first.get());
      faults.failingFsyncs = path -> false;
      filter.sync();
    }
  }

  /** A power failure might take it away. */
  @Test
  void aSnapshotThatIsNotSafeIsRefused() throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    Path target = temporary.toAbsolutePath().resolve("snapshot");
    CascadeOptions options = options().fileAccess(faults);
    try (CascadeFilter filter = CascadeFilter.open(temporary.resolve("cascade"), options)) {
      insert(filter, 0, 1000);
      faults.failingFsyncs =
          path -> path.equals(target) && Files.exists(target.resolve(Manifest.NAME));
      IOException refused = assertThrows(IOException.class, () -> filter.snapshot(target));
      assertTrue(refused.getMessage().contains("cannot sync"), refused.getMessage());
    }
  }

  /**
   * A rename may be done and told to have failed, as on NFS: the manifest may name the file that
   * the merge wrote, and the old ones too.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRenameThatIsToldToHaveFailedLosesNoLevel(boolean done) throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    Path directory = temporary.resolve("cascade");
    CascadeOptions options = options().fileAccess(faults);
    long keys;
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      keys = filter.statistics().get(CascadeCount.MEMORY_CAPACITY) + 1;
      byte[] before = Files.readAllBytes(directory.resolve("MANIFEST"));
      faults.failingReplaces = true;
      insert(filter, 0, keys);
      filter.awaitMerges();
      assertThrows(IOException.class, filter::sync);
      Path left = Files.createDirectory(temporary.resolve("left"));
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.copy(file, left.resolve(file.getFileName()));
        }
      }
      if (!done) {
        Files.write(left.resolve("MANIFEST"), before);
      }
      try (CascadeFilter afterACrash = CascadeFilter.open(left, options())) {
        assertPresent(afterACrash, filter.statistics().levels().get(0).entries());
      }
      faults.failingReplaces = false;
      filter.sync();
      filter.awaitMerges(); // and what they took in is deleted
      assertEquals(filter.statistics().levels().size(), levelFiles(directory));
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertPresent(filter, keys);
    }
  }

  private static void assertPresent(CascadeFilter filter, long keys) {
    long[] all = LongStream.range(0, keys).map(i -> TestHashes.splitMix(SEED, i)).toArray();
    assertEquals(all.length, filter.mightContain(all, 0, all.length).cardinality());
    assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
  }

  /**
   * The manifest may be switched back, to one that names the log of the level that was written, and
   * that log was not made safe. Then the next one must not be, and be refused for it.
   */
  @Test
  void aSyncThatFailsMakesNoLogSafeAfterOneThatIsNot() throws IOException {
    for (int seed = 0; seed < 20; seed++) {
      Path directory = Files.createDirectory(temporary.resolve("cascade-" + seed));
      SimulatedDrive drive = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
      try (CascadeFilter filter =
          CascadeFilter.open(directory, options().directIo(false).fileAccess(drive))) {
        insert(filter, 0, 1000);
        filter.sync();
        drive.failingFsyncs =
            path -> path.equals(directory) && DirectoryPowerFailureTest.namesALevel(directory);
        insert(filter, 1000, filter.statistics().get(CascadeCount.MEMORY_CAPACITY) + 10);
        filter.awaitMerges();
        assertThrows(IOException.class, filter::sync);
        insert(filter, -1, 0);
        assertThrows(IOException.class, filter::sync); // would make safe that the first one was
        Path left = temporary.resolve("left-" + seed);
        drive.cutNow().writeTo(left);
        try (CascadeFilter afterACut = CascadeFilter.open(left, options())) {
          assertPresent(afterACut, 1000);
        }
        drive.failingFsyncs = path -> false;
      }
    }
  }

  /**
   * Of the log of a level that is not written yet its end may be lost, and the log after it be
   * there: this one does not count then.
   */
  @Test
  void whatIsLeftOfTwoLogsIsWhatCameFirst() throws IOException {
    Path directory = Files.createDirectory(temporary.resolve("cascade"));
    SimulatedDrive drive = new SimulatedDrive(directory, new Random(SEED), () -> 0, () -> 0);
    drive.failingWrites = path -> path.getFileName().toString().startsWith("level-");
    CascadeFilter filter =
        CascadeFilter.open(directory, options().directIo(false).fileAccess(drive));
    insert(filter, 0, 1000);
    filter.sync();
    insert(filter, 1000, filter.statistics().get(CascadeCount.MEMORY_CAPACITY) + 18_000);
    assertTrue(filter.statistics().get(CascadeCount.FROZEN_ENTRIES) > 0, "two logs");
    for (int cut = 0; cut < 60; cut++) {
      Path left = temporary.resolve("left-" + cut);
      drive.cutNow().writeTo(left);
      try (CascadeReader reader = CascadeReader.open(left)) {
        long there = reader.logs().stream().mapToLong(LogRecovery.Log::records).sum();
        assertTrue(there >= 1000, there + " keys");
        long[] first = LongStream.range(0, there).map(i -> TestHashes.splitMix(SEED, i)).toArray();
        assertEquals(there, reader.mightContain(first, 0, first.length).cardinality());
      }
    }
    drive.switchOff();
    assertThrows(IOException.class, filter::close);
  }

  /** Else the manifest may be there, after a power failure, and the levels it names not. */
  @Test
  void levelsAreInTheDirectoryBeforeTheManifestNamesThem() throws IOException {
    List<String> did = Collections.synchronizedList(new ArrayList<>());
    FileAccess recording =
        new FileAccess() {
          @Override
          public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
            did.add("open " + file.getFileName());
            return FileAccess.SYSTEM.open(file, options);
          }

          @Override
          public void replace(Path from, Path to) throws IOException {
            did.add("replace");
            FileAccess.SYSTEM.replace(from, to);
          }

          @Override
          public void forceDirectory(Path path) throws IOException {
            did.add("force");
            FileAccess.SYSTEM.forceDirectory(path);
          }
        };
    CascadeOptions options = options().fileAccess(recording).durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(temporary.resolve("cascade"), options)) {
      did.clear();
      insert(filter, 0, 1000);
      filter.sync();
    }
    int created = did.indexOf("open level-1");
    int replaced = did.indexOf("replace");
    assertTrue(created >= 0 && replaced > created, did.toString());
    assertTrue(did.subList(created, replaced).contains("force"), did.toString());
  }

  /** A process may have ended between the rename and the fsync of the directory. */
  @Test
  void nothingIsDeletedBeforeTheManifestIsSafe() throws IOException {
    Path directory = temporary.resolve("cascade");
    CascadeFilter.open(directory, options()).close();
    Files.write(directory.resolve("level-999"), new byte[4096]);
    List<String> did = Collections.synchronizedList(new ArrayList<>());
    FileAccess recording =
        new FileAccess() {
          @Override
          public void delete(Path file) throws IOException {
            did.add("delete " + file.getFileName());
            FileAccess.SYSTEM.delete(file);
          }

          @Override
          public void forceDirectory(Path path) throws IOException {
            did.add("force " + path.getFileName());
            FileAccess.SYSTEM.forceDirectory(path);
          }
        };
    CascadeFilter.open(directory, options().fileAccess(recording)).close();
    int deleted = did.indexOf("delete level-999");
    assertTrue(deleted > did.indexOf("force cascade") && did.contains("force cascade"), "" + did);
  }

  /** A directory that is not in the one above it after a power failure has lost everything. */
  @Test
  void aNewDirectoryIsSafeItself() throws IOException {
    List<Path> forced = new ArrayList<>();
    FileAccess recording =
        new FileAccess() {
          @Override
          public void forceDirectory(Path path) throws IOException {
            forced.add(path);
            FileAccess.SYSTEM.forceDirectory(path);
          }
        };
    Path outer = temporary.toAbsolutePath().resolve("a");
    CascadeFilter.open(outer.resolve("b"), options().fileAccess(recording)).close();
    assertTrue(forced.contains(outer.getParent()), forced.toString());
    assertTrue(forced.contains(outer), forced.toString());
  }

  /** The next attempt would find it, and take it for safe. */
  @Test
  void aDirectoryThatCannotBeMadeSafeIsNotThere() throws IOException {
    FaultyAccess faults = new FaultyAccess(SEED);
    Path directory = temporary.toAbsolutePath().resolve("cascade");
    faults.failingFsyncs = temporary.toAbsolutePath()::equals;
    CascadeOptions options = options().fileAccess(faults);
    assertThrows(IOException.class, () -> CascadeFilter.open(directory, options));
    assertFalse(Files.exists(directory));
    faults.failingFsyncs = path -> false;
    CascadeFilter.open(directory, options).close();
  }

  @Test
  void aLinkToADirectoryIsAsGood() throws IOException {
    Path link = temporary.resolve("link");
    Files.createSymbolicLink(link, Files.createDirectory(temporary.resolve("real")));
    try (CascadeFilter filter = CascadeFilter.open(link, options())) {
      insert(filter, 0, 10);
    }
    try (CascadeFilter filter = CascadeFilter.open(temporary.resolve("real"), options())) {
      assertTrue(filter.mightContain(TestHashes.splitMix(SEED, 7)));
    }
  }
}

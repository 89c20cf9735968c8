package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.TestHashes;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Long random runs on a drive that fails in every way, with the power cut at any request. The
 * profile {@code cascade-faults} has the long ones.
 */
@Tag("long")
class FaultRunTest {
  private static final int OPERATIONS = Integer.getInteger("winnow.faults.operations", 20_000);
  private static final int CUTS = Integer.getInteger("winnow.faults.cuts", 8);
  private static final long SEED = Long.getLong("winnow.faults.seed", 20261122L);

  @TempDir private Path temporary;

  @ParameterizedTest
  @CsvSource({
    "false, false, 2",
    "false, true, 2",
    "true, false, 2",
    "true, true, 2",
    "false, false, 4",
    "false, true, 4",
    "true, false, 4",
    "true, true, 4",
  })
  void whatAPowerCutLeavesIsWhatSomeFirstOperationsComeTo(
      boolean deletes, boolean logged, int fanOut) throws IOException {
    long seed = SEED + fanOut + (deletes ? 10 : 0) + (logged ? 100 : 0);
    FaultRun run = new FaultRun(temporary, deletes, logged, fanOut, seed, OPERATIONS);
    String came = run.run(OPERATIONS, CUTS);
    if (OPERATIONS > 100_000) {
      System.out.println("deletes " + deletes + ", logged " + logged + ", " + fanOut + ": " + came);
    }
    assertEquals(0, PageFrames.liveFrames());
  }

  /**
   * A page that was never written, though the drive said so: refused, or in doubt, never absent.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aDriveThatLosesPagesLosesNoKeyInSilence(long seed) throws IOException {
    Path directory = Files.createDirectory(temporary.resolve("cascade"));
    SimulatedDrive drive = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
    drive.setLies(true);
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .expectedMaximum(1_000_000)
            .durability(Durability.NONE)
            .directIo(false);
    int keys = 60_000;
    try (CascadeFilter filter = CascadeFilter.open(directory, options.fileAccess(drive))) {
      for (int i = 0; i < keys; i++) {
        filter.insert(TestHashes.splitMix(seed, i));
      }
      filter.sync();
      filter.awaitMerges();
      drive.cutAfter(1);
      filter.insert(TestHashes.splitMix(seed, 0));
      filter.sync();
    }
    Path left = temporary.resolve("left");
    drive.takeImage().writeTo(left);
    try (CascadeFilter filter = CascadeFilter.open(left, options)) {
      long[] all = LongStream.range(0, keys).map(i -> TestHashes.splitMix(seed, i)).toArray();
      assertEquals(keys, filter.mightContain(all, 0, keys).cardinality());
    } catch (FilterFormatException | DamagedPageException e) {
      assertTrue(e.getMessage().contains("level-"), e.getMessage());
    }
  }

  /** The drive does some writes of pages elsewhere, or not at all, and says nothing. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void wrongWritesLoseNoKeyInSilence(long seed) throws IOException {
    Path directory = Files.createDirectory(temporary.resolve("cascade"));
    SimulatedDrive drive = new SimulatedDrive(directory, new Random(seed), () -> 0, () -> 0);
    drive.setWrongWrites(150_000, 150_000);
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .expectedMaximum(1_000_000)
            .durability(Durability.NONE)
            .directIo(false);
    long[] all = LongStream.range(0, 60_000).map(i -> TestHashes.splitMix(seed, i)).toArray();
    try (CascadeFilter filter = CascadeFilter.open(directory, options.fileAccess(drive))) {
      filter.insert(all, 0, all.length);
      filter.sync();
      filter.awaitMerges();
      assertEquals(all.length, filter.mightContain(all, 0, all.length).cardinality());
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(all.length, filter.mightContain(all, 0, all.length).cardinality());
    } catch (FilterFormatException | DamagedPageException e) {
      assertTrue(e.getMessage().contains("level-"), e.getMessage());
    }
  }
}

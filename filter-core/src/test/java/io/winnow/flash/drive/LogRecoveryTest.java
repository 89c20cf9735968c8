package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repairs logs after a power cut, and cuts the power again in the repair or soon after it. */
class LogRecoveryTest {
  private static final long ID = 9;
  private static final int BLOCK_BYTES = 1 << 9;

  /** Records of each log. */
  private static final int EACH = 200;

  /** So many of the first log are safe. */
  private static final int SAFE = 100;

  @TempDir private Path temporary;

  /**
   * A power cut leaves parts of several logs that are not safe. The records that a survey finds
   * stay, each once and in order, and new records follow them.
   */
  @Test
  void aRepairThatIsCutBringsNothingBackAndLosesNothing() throws IOException {
    int cutInRepairs = 0;
    int dropped = 0;
    for (int seed = 0; seed < 600; seed++) {
      Random random = new Random(seed);
      Path first = Files.createDirectories(temporary.resolve(seed + "/first"));
      SimulatedDrive drive = drive(first, random);
      long next = 1;
      for (int log = 1; log <= 4; log++) {
        next = write(drive, first, log, log == 1 ? 0 : EACH, next, log == 1 ? SAFE : 0);
      }
      Path second = leave(drive, temporary.resolve(seed + "/second"));

      SimulatedDrive again = drive(second, random);
      long newest = LogRecovery.newest(second);
      LogRecovery found = survey(again, second);
      boolean drops = found.logs.size() < newest;
      long there = records(found).size();
      assertEquals(counted(there), records(found), "seed " + seed);
      assertTrue(there >= SAFE, "seed " + seed + ": " + there);
      again.cutAfter(1 + random.nextInt(24));
      found.repair();
      if (drops) {
        assertEquals(newest + 1, found.nextLog(), "seed " + seed + ": a number is taken again");
        dropped++;
      }
      SimulatedDrive.Image image = again.takeImage();
      Path third = temporary.resolve(seed + "/third");
      if (image == null) {
        again.cutAfter(0);
        write(again, second, found.nextLog(), found.recordsBefore(), there + 1, SAFE);
        leave(again, third);
        there += SAFE; // the logs that were dropped must not cut off the next one
      } else {
        image.writeTo(third);
        cutInRepairs++;
      }
      List<Long> left = records(survey(FileAccess.SYSTEM, third));
      assertTrue(left.size() >= there, "seed " + seed + ": " + left.size() + " of " + there);
      assertEquals(counted(left.size()), left, "seed " + seed);
      assertTrue(image == null || left.size() == there, "seed " + seed + ": more than there was");
    }
    assertTrue(cutInRepairs > 100 && cutInRepairs < 550, cutInRepairs + " cuts in repairs");
    assertTrue(dropped > 100, dropped + " repairs drop logs");
  }

  /** An earlier process may have ended before it synced them. */
  @Test
  void aRepairSyncsTheNamesOfLogs() throws IOException {
    write(drive(temporary, new Random(0)), temporary, 1, 0, 1, SAFE);
    FaultyAccess access = new FaultyAccess(0);
    List<Path> synced = new ArrayList<>();
    access.failingFsyncs = path -> !synced.add(path);
    survey(access, temporary).repair();
    assertEquals(List.of(RecordLog.path(temporary, 1), temporary), synced);
  }

  /** The drive wrote a block that is not safe yet where the next one belongs. */
  @Test
  void aBlockOfAnotherPlaceEndsTheLog() throws IOException {
    SimulatedDrive drive = drive(Files.createDirectories(temporary), new Random(0));
    write(drive, temporary, 1, 0, 1, 0);
    byte[] log = Files.readAllBytes(RecordLog.path(temporary, 1));
    int block = BLOCK_BYTES;
    while (ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN).getLong(block + 16) != block) {
      block += Long.BYTES;
    }
    System.arraycopy(log, 0, log, block, block);
    Files.write(RecordLog.path(temporary, 1), log);
    LogRecovery found = survey(FileAccess.SYSTEM, temporary);
    assertTrue(found.logs.get(0).torn());
    assertEquals(block, found.logs.get(0).end());
    assertEquals(counted(found.logs.get(0).records()), records(found));
  }

  /** At the end of a block a log does not look torn: the next log knows how many records it had. */
  @Test
  void aLogThatWasCutIsRefusedIfTheNextOneWasSynced() throws IOException {
    int block = RecordLog.blockBytes(BLOCK_BYTES);
    for (int length : new int[] {0, block, block + 100}) {
      Path directory = Files.createDirectories(temporary.resolve("cut-" + length));
      SimulatedDrive drive = drive(directory, new Random(0));
      long next = write(drive, directory, 1, 0, 1, 0);
      write(drive, directory, 2, EACH, next, SAFE);
      assertEquals(2 * EACH, survey(FileAccess.SYSTEM, directory).records());
      Path first = RecordLog.path(directory, 1);
      Files.write(first, Arrays.copyOf(Files.readAllBytes(first), length));
      FilterFormatException refused =
          assertThrows(FilterFormatException.class, () -> survey(FileAccess.SYSTEM, directory));
      assertTrue(refused.getMessage().contains(first + " ends too early"), refused.getMessage());
    }
  }

  /** Its checksum matches, and the numbers of its records are not the next ones. */
  @Test
  void aBlockWhoseRecordsDoNotFollowIsRefused() throws IOException {
    write(drive(temporary, new Random(0)), temporary, 1, 0, 1, 0);
    byte[] log = Files.readAllBytes(RecordLog.path(temporary, 1));
    int size = RecordLog.blockBytes(BLOCK_BYTES);
    ByteBuffer second = ByteBuffer.wrap(log, size, size).slice().order(ByteOrder.LITTLE_ENDIAN);
    second.putLong(32, 1);
    second.putInt(0, RecordLog.checksum(ID, second, size, new CRC32C()));
    Files.write(RecordLog.path(temporary, 1), log);
    FilterFormatException refused =
        assertThrows(FilterFormatException.class, () -> survey(FileAccess.SYSTEM, temporary));
    assertTrue(refused.getMessage().contains("wrong order"), refused.getMessage());
  }

  /** The rest of a mark, for example: the next log would count only if this one is whole. */
  @Test
  void aLogIsMadeSafeToItsVeryEnd() throws IOException {
    AtomicInteger fsyncs = new AtomicInteger();
    FaultyAccess counting = new FaultyAccess(0);
    counting.failingFsyncs = path -> !path.equals(temporary) && fsyncs.incrementAndGet() < 0;
    try (RecordLog log = RecordLog.create(counting, temporary, ID, 1, 1, BLOCK_BYTES)) {
      log.append(7);
      log.force();
      assertEquals(1, fsyncs.get());
      Path file = RecordLog.path(temporary, 1);
      Files.write(file, new byte[20], StandardOpenOption.APPEND);
      log.forceWhole();
      assertEquals(log.bytesWritten(), Files.size(file));
      assertEquals(2, fsyncs.get(), "with the mark");
    }
  }

  private static SimulatedDrive drive(Path directory, Random random) throws IOException {
    return new SimulatedDrive(directory, new Random(random.nextLong()), () -> 0, () -> 0);
  }

  /** Writes a log whose records are the numbers from {@code first} on; returns the next number. */
  private static long write(
      SimulatedDrive drive, Path directory, long log, long before, long first, int safe)
      throws IOException {
    RecordLog written = RecordLog.create(drive, directory, ID, log, before + 1, BLOCK_BYTES);
    for (int i = 0; i < EACH; i++) {
      written.append(first + i);
      if (i + 1 == safe) {
        written.force();
      }
    }
    written.write();
    written.close();
    return first + EACH;
  }

  /** Writes the files that a power cut would leave now. */
  private static Path leave(SimulatedDrive drive, Path into) throws IOException {
    drive.cutNow().writeTo(into);
    return into;
  }

  private static LogRecovery survey(FileAccess access, Path directory) throws IOException {
    FlashDirectory files =
        new FlashDirectory.Kind(
                "a log", ".", name -> false, "nothing", true) // the directory itself
            .read(access, directory);
    LogRecovery logs = new LogRecovery(files, ID, 1, true, (block, at, end) -> Long.BYTES);
    logs.survey(Map.of());
    return logs;
  }

  private static List<Long> records(LogRecovery logs) throws IOException {
    List<Long> records = new ArrayList<>();
    for (int i = 0; i < logs.logs.size(); i++) {
      logs.replay(i, (record, block, at) -> records.add(block.getLong(at)));
    }
    return records;
  }

  private static List<Long> counted(long to) {
    return LongStream.rangeClosed(1, to).boxed().toList();
  }
}

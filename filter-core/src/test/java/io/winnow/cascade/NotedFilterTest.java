package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.drive.TextFile;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A text file in one directory says what a filter in another one has, as a de-duplicator's does:
 * the filter is synced, then the text is replaced. The power is cut again and again; what it leaves
 * is opened and goes on.
 *
 * <p>{@code -Dwinnow.crash.kills=200} for a thousand cuts.
 */
class NotedFilterTest {
  private static final int CUTS =
      5 * Integer.getInteger("winnow.crash.kills", Boolean.getBoolean("winnow.long") ? 8 : 3);
  private static final String NOTE = "NOTE";

  @TempDir private Path temporary;
  private long acknowledged;
  private long begun;

  private static long[] keys(long from, long to) {
    return LongStream.range(from, to).map(i -> TestHashes.splitMix(27, i)).toArray();
  }

  /** What the text says that is there; 0 without one. */
  private static long noted(Path directory) throws IOException {
    return Files.exists(directory.resolve(NOTE))
        ? TextFile.read(directory.resolve(NOTE), "note", 1, "").number("keys")
        : 0;
  }

  @Test
  void whatTheTextSaysIsInTheFilter() throws IOException {
    Path directory = Files.createDirectory(temporary.resolve("0"));
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .fanOut(2)
            .expectedMaximum(1_000_000)
            .durability(Durability.ON_SYNC)
            .directIo(false);
    for (int cut = 1; cut <= CUTS; cut++) {
      Random random = new Random(TestHashes.splitMix(5, cut));
      SimulatedDrive drive =
          new SimulatedDrive(directory, new Random(cut), () -> acknowledged, () -> begun);
      if (cut % 4 == 0) { // in the opening
        drive.cutAfter(1 + random.nextInt(200));
      }
      SimulatedDrive.Image image = fill(directory, options.fileAccess(drive), drive, random);
      directory = temporary.resolve("" + cut);
      image.writeTo(directory);
      long noted = noted(directory);
      assertTrue(noted >= image.acknowledged() && noted <= image.begun(), cut + ": " + noted);
      try (CascadeFilter filter = CascadeFilter.open(directory.resolve("filter"), options)) {
        assertEquals(noted, filter.mightContain(keys(0, noted), 0, (int) noted).cardinality());
      }
      acknowledged = noted;
      begun = noted;
    }
    assertTrue(acknowledged > CUTS, "the text went on: " + acknowledged);
  }

  /** Until the power is cut. */
  private SimulatedDrive.Image fill(
      Path directory, CascadeOptions options, SimulatedDrive drive, Random random)
      throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory.resolve("filter"), options);
    SimulatedDrive.Image image = drive.takeImage();
    if (image == null && !drive.isCutAhead()) {
      drive.cutAfter(1 + random.nextInt(60));
    }
    while (image == null) {
      long next = begun + 1 + random.nextInt(20);
      long[] keys = keys(begun, next);
      filter.insert(keys, 0, keys.length);
      filter.sync();
      begun = next;
      String text = new TextFile.Writer("note", 1).line("keys", begun).text();
      assertTrue(TextFile.replace(drive, directory, NOTE, text));
      image = drive.takeImage();
      acknowledged = begun;
    }
    drive.switchOff();
    try {
      filter.close();
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("(injected)"), e.toString());
    }
    return image;
  }
}

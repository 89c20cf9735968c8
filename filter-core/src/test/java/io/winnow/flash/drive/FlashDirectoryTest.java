package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of structures that are created, and read. */
class FlashDirectoryTest {
  private static final int PAGE_BYTES = 4096;
  private static final FlashDirectory.Kind KIND =
      new FlashDirectory.Kind("a structure", "pages", name -> false, "rebuild it", true);

  @TempDir private Path temporary;

  private final FaultyAccess access = new FaultyAccess(1);

  /** A power failure must not take away the directory of operations that are safe. */
  @Test
  void eachNewDirectoryIsSyncedInTheOneAbove() throws IOException {
    List<Path> synced = new ArrayList<>();
    access.failingFsyncs = path -> !synced.add(path);
    Path above = temporary.resolve("above");
    KIND.open(access, above.resolve("here")).close();
    assertEquals(List.of(temporary, above), synced);
    KIND.open(access, above.resolve("here")).close();
    assertEquals(List.of(temporary, above), synced);
  }

  /** The next opening would take its name for synced. */
  @Test
  void aDirectoryWhoseNameIsNotSyncedIsDeleted() throws IOException {
    Path directory = temporary.resolve("here");
    access.failingFsyncs = temporary::equals;
    assertThrows(IOException.class, () -> KIND.open(access, directory));
    assertTrue(Files.notExists(directory));
    access.failingFsyncs = path -> false;
    KIND.open(access, directory).close();
  }

  /** A reader may have a drive that is mounted for reading only. */
  @Test
  void aReaderOpensFilesForReadingOnly() throws IOException {
    PageStore.create(temporary.resolve("pages"), PAGE_BYTES).close();
    Set<OpenOption> used = new HashSet<>();
    FileAccess recording =
        new FileAccess() {
          @Override
          public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
            used.addAll(options);
            return FileAccess.SYSTEM.open(file, options);
          }
        };
    try (FlashDirectory read = KIND.read(recording, temporary);
        PageStore pages = read.openPages("pages", PAGE_BYTES, 0, false, new IoCounters())) {
      assertEquals(0, pages.pages());
      assertEquals(Set.of(StandardOpenOption.READ), used);
    }
  }
}

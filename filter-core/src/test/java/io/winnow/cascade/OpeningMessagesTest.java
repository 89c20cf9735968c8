package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.bloom.ElevatorBloomFilter;
import io.winnow.flash.bloom.FlashBloomFilter;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.buffered.BufferedBloomReader;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.bufferhash.BufferHashReader;
import io.winnow.flash.drive.DirectoryLock;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.store.Durability;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What is said where a directory is not the one that was meant, of each structure. */
class OpeningMessagesTest {
  @TempDir private Path temporary;

  private interface Opening {
    Closeable open() throws IOException;
  }

  private static List<Opening> openings(Path directory) {
    return List.of(
        () -> CascadeFilter.open(directory, CascadeOptions.defaults()),
        () ->
            BufferedBloomFilter.open(
                directory, BufferedBloomOptions.defaults().pages(16).hashFunctions(3)),
        () ->
            BufferHash.open(directory, BufferHashOptions.ofFingerprints(8).flashBytes(64L << 20)));
  }

  private static void assertRefused(Executable opening, String... words) {
    IOException refused = assertThrows(IOException.class, opening);
    for (String word : words) {
      assertTrue(refused.getMessage().contains(word), refused.getMessage());
    }
  }

  @Test
  void aDirectoryWithFilesOfOthersIsRefusedAndNothingIsPutThere() throws IOException {
    Path directory = Files.createDirectory(temporary.resolve("photos"));
    Files.writeString(directory.resolve("holiday.txt"), "not ours");
    for (Opening opening : openings(directory)) {
      assertRefused(opening::open, directory.toString(), "holiday.txt", "give the path");
      try (var files = Files.list(directory)) {
        assertArrayEquals(
            new Object[] {"holiday.txt"},
            files.map(file -> file.getFileName().toString()).toArray());
      }
    }
  }

  @Test
  void theRootDirectoryOfANewFileSystemIsTaken() throws IOException {
    for (int i = 0; i < 3; i++) {
      Path root = Files.createDirectory(temporary.resolve("drive-" + i));
      Files.createDirectory(root.resolve("lost+found"));
      openings(root).get(i).open().close();
    }
  }

  @Test
  void aFileInPlaceOfADirectoryIsRefused() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "x");
    for (Opening opening : openings(file)) {
      assertRefused(opening::open, file.toString(), "is a file", "give the path");
    }
    for (Opening opening : openings(file.resolve("below"))) {
      assertRefused(opening::open, file + " is a file", "give the path");
    }
    for (Opening opening : openingsOfExisting(file)) {
      assertRefused(opening::open, file.toString(), "is a file", "give the path");
    }
  }

  /** A structure that was lost must not be taken for an empty one. */
  @Test
  void withoutOptionsAndForReadersWhatIsMissingIsNotMade() throws IOException {
    Path nowhere = temporary.resolve("nowhere");
    for (Opening opening : openingsOfExisting(nowhere)) {
      FilterFormatException refused = assertThrows(FilterFormatException.class, opening::open);
      assertTrue(refused.getMessage().contains(nowhere + " has no "), "" + refused);
      assertTrue(refused.getMessage().contains("give the path of one"), "" + refused);
      assertTrue(Files.notExists(nowhere));
    }
  }

  private static List<Opening> openingsOfExisting(Path directory) {
    return List.of(
        () -> CascadeFilter.open(directory),
        () -> BufferedBloomFilter.open(directory),
        () -> BufferHash.open(directory),
        () -> CascadeReader.open(directory),
        () -> BufferedBloomReader.open(directory),
        () -> BufferHashReader.open(directory));
  }

  @Test
  void withOptionsWhatIsMissingIsMadeAndWhatIsThereIsOpened() throws Throwable {
    Path directory = temporary.resolve("new");
    for (int kind = 0; kind < openings(directory).size(); kind++) {
      Path ofKind = directory.resolve("" + kind);
      for (Path at : List.of(ofKind.resolve("missing"), ofKind.resolve("empty"))) {
        Files.createDirectories(ofKind.resolve("empty"));
        for (int opening = 0; opening < 2; opening++) {
          openings(at).get(kind).open().close();
        }
        openingsOfExisting(at).get(kind).open().close();
      }
    }
  }

  /** Another structure's directory is no damaged one, and nobody is to rebuild anything. */
  @Test
  void theDirectoryOfAnotherStructureIsNamed() throws IOException {
    Path table = temporary.resolve("table");
    BufferHash.open(table, BufferHashOptions.ofFingerprints(8).flashBytes(64L << 20)).close();
    for (Executable opening :
        List.<Executable>of(() -> CascadeFilter.open(table), () -> CascadeReader.open(table))) {
      FilterFormatException refused = assertThrows(FilterFormatException.class, opening);
      assertTrue(refused.getMessage().contains("of kind winnow-bufferhash"), "" + refused);
      assertTrue(refused.getMessage().contains("as that kind"), "" + refused);
    }
    Path manifest = table.resolve("MANIFEST");
    Files.writeString(manifest, Files.readString(manifest).replace("buffer", "boffer"));
    FilterFormatException damaged =
        assertThrows(FilterFormatException.class, () -> CascadeFilter.open(table));
    assertTrue(damaged.getMessage().contains("is damaged"), "" + damaged);
  }

  @Test
  void aCascadeOpensAsItWasMadeWithoutOptionsAndNamesTheRateWithOthers() throws IOException {
    Path directory = temporary.resolve("cascade");
    CascadeOptions made =
        CascadeOptions.defaults().rate(1e-6).expectedMaximum(1 << 20).deletes(true).fanOut(8);
    try (CascadeFilter filter = CascadeFilter.open(directory, made)) {
      filter.insert(7);
    }
    try (CascadeFilter filter = CascadeFilter.open(directory)) {
      assertTrue(filter.mightContain(7));
      filter.delete(7);
      assertEquals(8, filter.statistics().get(CascadeCount.FAN_OUT));
    }
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> CascadeFilter.open(directory, made.rate(0.001)));
    assertTrue(refused.getMessage().contains("a rate of 9.5e-07 at 1048576 keys"), "" + refused);
    assertTrue(refused.getMessage().contains("a rate of 0.00098 at"), "" + refused);
  }

  @Test
  void aTableWithOtherOptionsIsToldOfTheOpeningWithoutOptions() throws IOException {
    Path directory = temporary.resolve("table");
    BufferHash.open(directory, BufferHashOptions.ofKeys(32, 8).flashBytes(64L << 20)).close();
    for (BufferHashOptions other :
        List.of(
            BufferHashOptions.ofFingerprints(8),
            BufferHashOptions.ofKeys(32, 8).flashBytes(32L << 20))) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> BufferHash.open(directory, other));
      assertTrue(refused.getMessage().contains("open it without options"), "" + refused);
    }
    BufferHash.open(directory).close();
  }

  /** Here its lock is a directory: nobody can write to that, whoever runs the test. */
  @Test
  void aDirectoryThatCannotBeWrittenToIsLeftToReaders() throws IOException {
    for (Opening opening : openings(temporary)) {
      Files.createDirectories(temporary.resolve(DirectoryLock.NAME));
      assertRefused(opening::open, "cannot write to " + temporary, "open a reader");
    }
  }

  @Test
  void aDeletedLockIsSaidToBeOne() throws IOException {
    Path directory = temporary.resolve("cascade");
    CascadeFilter filter =
        CascadeFilter.open(directory, CascadeOptions.defaults().durability(Durability.everyN(1)));
    filter.insert(1);
    Files.delete(directory.resolve(DirectoryLock.NAME));
    for (int i = 0; i < 2; i++) { // the second time, too
      assertRefused(() -> filter.insert(2), "LOCK was deleted", "open it again");
    }
    assertThrows(IOException.class, filter::close);
    try (CascadeFilter again = CascadeFilter.open(directory)) {
      assertTrue(again.mightContain(1));
    }
  }

  /** Of all structures, whatever is asked of them. */
  @Test
  void afterTheCloseTheyAllThrowTheSame() throws IOException {
    CascadeFilter cascade =
        CascadeFilter.open(temporary.resolve("cascade"), CascadeOptions.defaults());
    cascade.close();
    BufferedBloomFilter bloom =
        BufferedBloomFilter.open(
            temporary.resolve("bloom"), BufferedBloomOptions.defaults().pages(16).hashFunctions(3));
    bloom.close();
    BufferHash table =
        BufferHash.open(
            temporary.resolve("table"), BufferHashOptions.ofFingerprints(8).flashBytes(64L << 20));
    table.close();
    BloomSizing sizing = BloomSizing.forRate(1000, 0.01);
    FlashBloomFilter plain =
        FlashBloomFilter.create(
            PageStore.create(temporary.resolve("plain"), 4096), sizing, 1 << 16);
    plain.close();
    ElevatorBloomFilter elevator =
        ElevatorBloomFilter.create(
            PageStore.create(temporary.resolve("elevator"), 4096), sizing, 1 << 16, 1);
    elevator.close();
    for (Executable use :
        List.<Executable>of(
            () -> cascade.insert(1),
            () -> cascade.insert(new long[] {1}, 0, 1),
            () -> cascade.mightContain(1),
            cascade::sync,
            cascade::statistics,
            cascade::awaitMerges,
            () -> cascade.setMergeThreads(2),
            () -> cascade.setMergeBytesPerSecond(1),
            () -> plain.insert(1),
            () -> plain.mightContain(1),
            plain::sync,
            () -> elevator.insert(1),
            () -> elevator.mightContain(1),
            elevator::sync,
            () -> cascade.snapshot(temporary.resolve("snapshot")),
            () -> bloom.insert(1),
            () -> bloom.mightContain(1),
            bloom::sync,
            () -> table.put(1, new byte[1]),
            () -> table.get(1),
            () -> table.get(new long[] {1}, 0, 1),
            () -> table.delete(1),
            table::forgetLost,
            table::sync)) {
      assertThrows(IllegalStateException.class, use);
    }
    cascade.close();
    bloom.close();
    table.close();
    plain.close();
    elevator.close();
  }
}

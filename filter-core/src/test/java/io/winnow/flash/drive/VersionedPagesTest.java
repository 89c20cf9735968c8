package io.winnow.flash.drive;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionedPagesTest {
  private static final int PAGE_BYTES = 4096;
  private static final int PAGES = 3;

  @TempDir private Path directory;
  private Path file;
  private SimulatedDrive drive;
  private PageFrame frame;

  /** Is called after each fsync. */
  private Runnable afterFsync = () -> {};

  private final FileAccess access =
      new FileAccess() {
        @Override
        public FileChannel open(Path path, Set<? extends OpenOption> options) throws IOException {
          return drive.open(path, options);
        }

        @Override
        public void force(Path path, FileDescriptor open) throws IOException {
          drive.force(path, open);
          afterFsync.run();
        }
      };

  @BeforeEach
  void begin() throws IOException {
    file = directory.resolve("pages");
    drive = new SimulatedDrive(directory, new Random(1), () -> 0, () -> 0);
    frame = PageFrames.allocate(1, PAGE_BYTES);
  }

  @AfterEach
  void end() {
    frame.close();
  }

  /** A store of pages of zeros. */
  private PageStore create(int copies) throws IOException {
    PageStore store = PageStore.create(access, file, PAGE_BYTES, 7, false, new IoCounters());
    frame.fill(0, 0, 0);
    while (store.pages() < VersionedPages.withVersions(PAGE_BYTES, PAGES, copies)) {
      store.append(1, frame);
    }
    return store;
  }

  /**
   * A page that is written while the pages are made safe may not be safe with them: then only its
   * version before is promised.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void noVersionIsPromisedThatCameAfterTheFsync(int copies) throws IOException {
    long round;
    byte[] safe;
    try (PageStore store = create(copies)) {
      VersionedPages pages = VersionedPages.open(store, 0, PAGES, copies, 0);
      pages.write(1, 1, frame);
      safe = Files.readAllBytes(file);
      afterFsync =
          () -> {
            afterFsync = () -> {};
            assertDoesNotThrow(() -> pages.write(1, 1, frame));
          };
      long written = pages.sync();
      round = copies > 1 ? written : 0; // no head of the older format knows it
    }
    byte[] left = Files.readAllBytes(file);
    System.arraycopy(safe, PAGE_BYTES, left, PAGE_BYTES, PAGE_BYTES); // the power was cut
    Files.write(file, left);
    try (PageStore store = PageStore.open(file, PAGE_BYTES).salted(7)) {
      VersionedPages.open(store, 0, PAGES, copies, round).read(1, 1, frame);
      assertEquals(1, frame.version(0));
    }
  }

  /** If a copy of the versions cannot be written, the next call writes both. */
  @Test
  void versionsWhoseWriteFailedAreWrittenByTheNextCall() throws IOException {
    try (PageStore store = create(2)) {
      VersionedPages pages = VersionedPages.open(store, 0, PAGES, 2, 0);
      int[] fsyncs = new int[1];
      afterFsync = () -> fsyncs[0]++;
      for (int failing = 1; failing <= 2; failing++) { // after so many fsyncs, a copy each
        pages.write(1, 1, frame);
        fsyncs[0] = 0;
        int from = failing;
        drive.failingWrites = path -> fsyncs[0] >= from;
        assertThrows(IOException.class, pages::sync);
        assertNull(store.failedSync());
        drive.failingWrites = path -> false;
        fsyncs[0] = 0;
        long round = pages.sync();
        assertEquals(2, fsyncs[0], "of the pages, and of the first copy");
        assertEquals(round, pages.sync());
        for (int copy = 0; copy < 2; copy++) {
          store.read(PAGES + copy, frame);
          assertEquals(round, frame.bytes.getLong(frame.payloadOffset(0)));
          int version = frame.payloadOffset(0) + Long.BYTES + Short.BYTES;
          assertEquals(failing, frame.bytes.getShort(version));
        }
      }
    }
  }

  /** The process died before a head knew the round: an older copy of it must not look like new. */
  @Test
  void aRoundThatWasWrittenIsNotUsedAgain() throws IOException {
    try (PageStore store = create(2)) {
      for (int round = 1; round <= 2; round++) {
        VersionedPages pages = VersionedPages.open(store, 0, PAGES, 2, 0);
        pages.write(1, 1, frame);
        assertEquals(round, pages.sync());
      }
    }
  }
}

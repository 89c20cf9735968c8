package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.DirectoryLock;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A filter that lost its directory to another owner takes nothing away from that one. */
class LostDirectoryTest extends FaultyCascade {
  private void loseDirectory() {
    try {
      Files.writeString(directory.resolve(DirectoryLock.NAME), "another owner's");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertNotClosed(CascadeFilter filter) {
    assertThrows(IOException.class, filter::close);
  }

  /** Without a log, and with nothing to write. */
  @Test
  void itPromisesNothing() throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options().durability(Durability.NONE));
    insert(filter, 0, 1000);
    filter.sync();
    loseDirectory();
    assertThrows(IOException.class, filter::sync);
    assertNotClosed(filter);
  }

  @Test
  void itsMergesDoNotReplaceTheManifest() throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options().durability(Durability.NONE));
    insert(filter, 0, 1000);
    byte[] manifest = Files.readAllBytes(directory.resolve(Manifest.NAME));
    loseDirectory();
    assertThrows(IOException.class, filter::sync);
    assertNotClosed(filter);
    assertArrayEquals(manifest, Files.readAllBytes(directory.resolve(Manifest.NAME)));
  }

  /** It is lost just after the manifest was replaced: the log of a merged level stays. */
  @Test
  void itDeletesNoFileThatWasMerged() throws IOException {
    CascadeFilter filter = CascadeFilter.open(directory, options());
    faults.replaced = false;
    faults.failingFsyncs =
        path -> {
          if (path.equals(directory) && faults.replaced) {
            loseDirectory();
          }
          return false;
        };
    insert(filter, 0, filter.statistics().get(CascadeCount.MEMORY_CAPACITY) + 1);
    filter.awaitMerges();
    assertTrue(Files.exists(RecordLog.path(directory, 1)));
    assertNotClosed(filter);
  }

  /** An insert that is refused is taken back from memory, and not from the log. */
  @Test
  void itCutsNoLog() throws IOException {
    CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.everyN(1)));
    filter.insert(key(1));
    Path log = RecordLog.path(directory, 1);
    long size = Files.size(log);
    loseDirectory();
    assertThrows(IOException.class, () -> filter.insert(key(2)));
    assertTrue(Files.size(log) > size, "it was cut");
    assertNotClosed(filter);
  }
}

package io.winnow.flash.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** An interrupt closes a channel, and would hide what its fsync says, which is said once. */
class FileAccessTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  private Path directory;

  /** One that says nothing of fsyncs, and fails those of its channels if told to. */
  private static final class Plain implements FileAccess {
    private boolean fails;
    private int forced;

    @Override
    public FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
      return new WrappedChannel(FileAccess.SYSTEM.open(file, options)) {
        @Override
        public int read(ByteBuffer into, long position) {
          throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer from, long position) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metaData) throws IOException {
          forced++;
          if (fails) {
            throw new IOException("Input/output error (injected)");
          }
          real.force(metaData);
        }
      };
    }
  }

  @Test
  void anInterruptIsNoFailureOfAnFsync() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    Plain plain = new Plain();
    for (FileAccess access : new FileAccess[] {FileAccess.SYSTEM, plain}) {
      try (FileAccess.Syncable open = access.openToSync(file)) {
        for (int i = 0; i < 3; i++) {
          Thread.currentThread().interrupt();
          open.sync();
          assertTrue(Thread.interrupted());
          Thread.currentThread().interrupt();
          access.forceDirectory(directory);
          assertTrue(Thread.interrupted());
        }
      }
    }
    assertEquals(3, plain.forced);
  }

  @Test
  void anInterruptDoesNotHideAFailure() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[100]);
    Plain plain = new Plain();
    plain.fails = true;
    try (FileAccess.Syncable open = plain.openToSync(file)) {
      Thread.currentThread().interrupt();
      IOException e = assertThrows(IOException.class, open::sync);
      assertTrue(e.getMessage().contains("injected"), e.getMessage());
      assertTrue(Thread.interrupted());
    }
    Path nowhere = directory.resolve("nowhere");
    Thread.currentThread().interrupt();
    assertThrows(IOException.class, () -> plain.forceDirectory(nowhere));
    assertTrue(Thread.interrupted());
  }
}

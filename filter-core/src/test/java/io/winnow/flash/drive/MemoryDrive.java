package io.winnow.flash.drive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Where the tests of this module have their temporary directories: in Linux's file system in
 * memory, if it has much room and direct I/O as a drive has; else where Java puts them. Most tests
 * ask what is in a file, and wait for a drive all the same. Those that ask what the drive does name
 * {@link TempDirFactory.Standard}.
 */
public final class MemoryDrive implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String PREFIX = "winnow-test-";

  /** All JVMs of a build have these. */
  private static final long MIN_BYTES = 4L << 30;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
      throws IOException {
    if (Files.isWritable(MEMORY)
        && Files.getFileStore(MEMORY).getUsableSpace() >= MIN_BYTES
        && Direct.IN_MEMORY) {
      return Files.createTempDirectory(MEMORY, PREFIX);
    }
    return Files.createTempDirectory(PREFIX);
  }

  /** Linux has direct I/O there since 6.6. */
  private static final class Direct {
    private static final boolean IN_MEMORY = isThere();

    private static boolean isThere() {
      try {
        Path file = Files.createTempFile(MEMORY, PREFIX, "");
        Files.delete(file);
        try (PageStore store = PageStore.create(file, PageStore.MIN_PAGE_BYTES)) {
          return store.isDirect();
        } finally {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        return false;
      }
    }
  }
}

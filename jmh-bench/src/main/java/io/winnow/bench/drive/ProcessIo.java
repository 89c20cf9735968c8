package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The reads and writes of this process on drives, as Linux counts them, for stores that do not
 * count their own. Bytes are those of the drive, without those that the page cache answered;
 * requests are system calls.
 */
final class ProcessIo {
  private static final Path FILE = Path.of("/proc/self/io");

  private ProcessIo() {}

  /** Returns the process's reads and writes so far; all zero if the system does not count them. */
  static IoSnapshot snapshot() {
    Map<String, Long> values = new HashMap<>();
    try {
      for (String line : Files.readAllLines(FILE)) {
        int colon = line.indexOf(": ");
        if (colon > 0) {
          values.put(line.substring(0, colon), Long.parseLong(line.substring(colon + 2)));
        }
      }
    } catch (IOException e) {
      // no Linux
    }
    return new IoSnapshot(
        values.getOrDefault("syscr", 0L),
        values.getOrDefault("read_bytes", 0L),
        values.getOrDefault("syscw", 0L),
        values.getOrDefault("write_bytes", 0L));
  }
}

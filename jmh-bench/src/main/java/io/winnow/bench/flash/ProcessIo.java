package io.winnow.bench.flash;

import io.winnow.flash.store.IoCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What this process read from drives and wrote to them, as Linux counts it: for peers that do not
 * count it themselves. Bytes are those of the drive, past what its cache answered; requests are
 * calls of the system.
 */
final class ProcessIo {
  private static final Path FILE = Path.of("/proc/self/io");

  private ProcessIo() {}

  /** All zero where the system does not tell. */
  static IoCounters.Snapshot snapshot() {
    Map<String, Long> values = new HashMap<>();
    try {
      for (String line : Files.readAllLines(FILE)) {
        int colon = line.indexOf(": ");
        if (colon > 0) {
          values.put(line.substring(0, colon), Long.parseLong(line.substring(colon + 2)));
        }
      }
    } catch (IOException e) {
      // not a Linux
    }
    return new IoCounters.Snapshot(
        values.getOrDefault("syscr", 0L),
        values.getOrDefault("read_bytes", 0L),
        values.getOrDefault("syscw", 0L),
        values.getOrDefault("write_bytes", 0L));
  }
}

package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    try (Stream<String> lines = Files.lines(FILE)) {
      Map<String, Long> io =
          lines
              .map(line -> line.split(": "))
              .collect(Collectors.toMap(words -> words[0], words -> Long.parseLong(words[1])));
      return new IoSnapshot(
          io.get("syscr"), io.get("read_bytes"), io.get("syscw"), io.get("write_bytes"));
    } catch (IOException e) {
      return new IoSnapshot(0, 0, 0, 0); // no Linux
    }
  }
}

package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Classes of HBase versions that are not on the class path: the build unpacks some. */
final class OtherLines {
  private static final Path DIRECTORY = Path.of("target", "other-lines");

  private OtherLines() {}

  static byte[] classFile(String version, String name) {
    try {
      return Files.readAllBytes(DIRECTORY.resolve(version).resolve(name + ".class"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

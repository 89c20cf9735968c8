package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.InputStream;

/** Class files by name. */
@FunctionalInterface
interface ClassFiles {
  /**
   * The bytes of a class file; null if there is none.
   *
   * @param internalName with slashes
   */
  byte[] find(String internalName) throws IOException;

  /** Those that a class loader would take, of which it loads none. */
  static ClassFiles of(ClassLoader loader) {
    return name -> {
      try (InputStream in = loader.getResourceAsStream(name + ".class")) {
        return in == null ? null : in.readAllBytes();
      }
    };
  }
}

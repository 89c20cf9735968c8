package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.InputStream;

/** Class files by name. */
@FunctionalInterface
interface ClassFiles {
  /**
   * Returns the bytes of a class file; null if there is none.
   *
   * @param internalName the name of the class, with slashes
   */
  byte[] find(String internalName) throws IOException;

  /** Returns the class files that a class loader finds, without loading a class. */
  static ClassFiles of(ClassLoader loader) {
    return name -> {
      try (InputStream in = loader.getResourceAsStream(name + ".class")) {
        return in == null ? null : in.readAllBytes();
      }
    };
  }
}

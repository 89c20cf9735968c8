package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.InputStream;

/** A source of class files, which finds them by the names of classes. */
@FunctionalInterface
interface ClassFiles {
  /**
   * Returns the bytes of the class file with a given name; null if there is none.
   *
   * @param internalName the name of the class, with slashes
   */
  byte[] find(String internalName) throws IOException;

  /** Returns a source of the class files that a class loader finds, which loads no class. */
  static ClassFiles of(ClassLoader loader) {
    return name -> {
      try (InputStream in = loader.getResourceAsStream(name + ".class")) {
        return in == null ? null : in.readAllBytes();
      }
    };
  }
}

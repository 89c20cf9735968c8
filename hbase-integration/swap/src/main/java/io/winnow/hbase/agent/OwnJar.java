package io.winnow.hbase.agent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * Winnow's class files, read from the jar from which the agent runs, or else found by the class
 * loader. The class loader would search the server's class path each time, in which our jar is the
 * last of some 200.
 *
 * <p>The jar only saves time: if it cannot be read, the class loader finds all class files. If
 * parts of another Winnow stand before the jar in the class path, the bytes found here are not the
 * ones that the JVM loads.
 */
final class OwnJar implements ClassFiles, Closeable {
  private final JarFile jar;
  private final URL location;
  private final ClassFiles others;

  private OwnJar(JarFile jar, URL location, ClassFiles others) {
    this.jar = jar;
    this.location = location;
    this.others = others;
  }

  /**
   * Opens the jar from which Winnow's agent was loaded.
   *
   * @param others class files that are not in the jar: a developer's class path has each module of
   *     ours, as a jar or as a directory
   */
  static OwnJar open(ClassFiles others) {
    CodeSource source = OwnJar.class.getProtectionDomain().getCodeSource();
    return open(source == null ? null : source.getLocation(), others);
  }

  static OwnJar open(URL location, ClassFiles others) {
    return new OwnJar(jar(location), location, others);
  }

  private static JarFile jar(URL location) {
    try {
      Path path = location == null ? null : Path.of(location.toURI());
      return path == null || Files.isDirectory(path) ? null : new JarFile(path.toFile());
    } catch (IOException | URISyntaxException | RuntimeException e) {
      return null;
    }
  }

  @Override
  public byte[] find(String internalName) throws IOException {
    ZipEntry entry = jar == null ? null : jar.getEntry(internalName + ".class");
    if (entry == null) {
      return others.find(internalName);
    }
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  /** Returns true if a class was loaded from the agent's jar. */
  boolean isOf(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return jar != null && source != null && source.getLocation().sameFile(location);
  }

  @Override
  public void close() {
    try {
      if (jar != null) {
        jar.close();
      }
    } catch (IOException e) { // it was only read
    }
  }
}

package io.winnow.hbase.agent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * Winnow's class files, from the jar that the agent runs from. A class loader finds them too, and
 * first searches all of a server's class path, of which ours is the last of some 200 jars.
 */
final class OwnJar implements ClassFiles, Closeable {
  private final JarFile jar;

  private OwnJar(JarFile jar) {
    this.jar = jar;
  }

  /** The jar that this class came from. */
  static OwnJar open() throws IOException {
    URL location = OwnJar.class.getProtectionDomain().getCodeSource().getLocation();
    try {
      return new OwnJar(new JarFile(Path.of(location.toURI()).toFile()));
    } catch (URISyntaxException | RuntimeException e) {
      throw new IOException("no file's address: " + location, e);
    }
  }

  @Override
  public byte[] find(String internalName) throws IOException {
    ZipEntry entry = jar.getEntry(internalName + ".class");
    if (entry == null) {
      return null;
    }
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  @Override
  public void close() throws IOException {
    jar.close();
  }
}

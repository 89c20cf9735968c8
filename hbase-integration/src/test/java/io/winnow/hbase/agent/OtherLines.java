package io.winnow.hbase.agent;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** HBase versions that are not on the class path: the build copies some of their jars. */
final class OtherLines {
  private static final Path DIRECTORY = Path.of(System.getProperty("winnow.other.lines"));

  private OtherLines() {}

  static Path jar(String artifact, String version) {
    return DIRECTORY.resolve(artifact + "-" + version + ".jar");
  }

  /** The artifacts that are there of a version. */
  static List<String> artifactsOf(String version) throws IOException {
    String ending = "-" + version + ".jar";
    try (Stream<Path> jars = Files.list(DIRECTORY)) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> name.endsWith(ending))
          .map(name -> name.substring(0, name.length() - ending.length()))
          .toList();
    }
  }

  /** A class of hbase-server. */
  static byte[] classFile(String version, String name) {
    try (JarFile jar = new JarFile(jar("hbase-server", version).toFile())) {
      ZipEntry entry = jar.getEntry(name + ".class");
      if (entry == null) {
        throw new FileNotFoundException("no " + name + " in " + jar.getName());
      }
      try (InputStream in = jar.getInputStream(entry)) {
        return in.readAllBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

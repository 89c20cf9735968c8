package io.winnow.hbase.agent;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  /** Jars, and all else that is on the class path but for other versions of them. */
  static URLClassLoader loader(List<Path> jars) throws IOException {
    List<URL> urls = new ArrayList<>();
    Set<String> replaced = new HashSet<>();
    for (Path jar : jars) {
      if (!Files.exists(jar)) {
        throw new FileNotFoundException(jar.toString());
      }
      urls.add(jar.toUri().toURL());
      replaced.add(artifact(jar));
    }
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path jar = Path.of(element);
      if (element.endsWith(".jar") && !replaced.contains(artifact(jar))) {
        urls.add(jar.toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static String artifact(Path jar) {
    return jar.getFileName().toString().replaceAll("-\\d.*", "");
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

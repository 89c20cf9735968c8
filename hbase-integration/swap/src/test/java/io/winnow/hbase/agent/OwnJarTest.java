package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;

/** Where the agent looks for Winnow's own class files. */
class OwnJarTest {
  private static final byte[] IN_JAR = {1};
  private static final byte[] ELSEWHERE = {2};

  @TempDir Path dir;

  @Test
  void firstInTheJarThenWhereTheClassLoaderLooks() throws IOException {
    Path file = dir.resolve("a jar + 100%.jar");
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out)) {
      jar.putNextEntry(new ZipEntry("io/winnow/Some.class"));
      jar.write(IN_JAR);
    }
    try (OwnJar own = OwnJar.open(file.toUri().toURL(), name -> ELSEWHERE)) {
      assertArrayEquals(IN_JAR, own.find("io/winnow/Some"));
      assertArrayEquals(ELSEWHERE, own.find("io/winnow/Other"));
    }
  }

  @Test
  void classesInADirectoryAreLeftToTheClassLoader() throws IOException {
    try (OwnJar own = OwnJar.open(dir.toUri().toURL(), name -> ELSEWHERE)) {
      assertArrayEquals(ELSEWHERE, own.find("io/winnow/Some"));
    }
  }

  @Test
  void whatCannotBeReadAsAJarIsLeftToTheClassLoader() throws IOException {
    Path noJar = Files.write(dir.resolve("no.jar"), new byte[100]);
    URL web = URI.create("http://127.0.0.1/winnow.jar").toURL();
    for (URL location : new URL[] {noJar.toUri().toURL(), web, null}) {
      try (OwnJar own = OwnJar.open(location, name -> ELSEWHERE)) {
        assertArrayEquals(ELSEWHERE, own.find("io/winnow/Some"));
      }
    }
  }

  @Test
  void knowsTheClassesThatWereLoadedFromIt() throws IOException {
    URL jar = ClassReader.class.getProtectionDomain().getCodeSource().getLocation();
    try (OwnJar own = OwnJar.open(jar, name -> ELSEWHERE)) {
      assertTrue(own.isOf(ClassReader.class));
      assertFalse(own.isOf(OwnJarTest.class));
      assertFalse(own.isOf(String.class), "of the JDK");
    }
    URL directory = OwnJarTest.class.getProtectionDomain().getCodeSource().getLocation();
    try (OwnJar own = OwnJar.open(directory, name -> ELSEWHERE)) {
      assertFalse(own.isOf(OwnJarTest.class), "a directory");
    }
  }
}

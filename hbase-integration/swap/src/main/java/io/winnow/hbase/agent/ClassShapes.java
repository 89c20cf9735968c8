package io.winnow.hbase.agent;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A cache of the contents of class files, by the names of the classes. Each class file is read
 * once, because reading class files takes most of the time of the agent's start. Not thread-safe.
 */
final class ClassShapes {
  private final ClassFiles ours;
  private final ClassFiles theirs;
  private final ClassFiles ofJdk = ClassFiles.of(ClassLoader.getPlatformClassLoader());
  private final Map<String, ClassShape> shapes = new HashMap<>();

  /**
   * Creates an empty cache of class files that were read.
   *
   * @param ours the class files of Winnow
   * @param theirs the class files of HBase and of all that it needs but the JDK
   */
  ClassShapes(ClassFiles ours, ClassFiles theirs) {
    this.ours = ours;
    this.theirs = theirs;
  }

  /**
   * Returns the contents of the class file of a class; null if there is no such class.
   *
   * @throws RuntimeException if its bytes are no class file
   */
  ClassShape find(String name) throws IOException {
    if (!shapes.containsKey(name)) {
      shapes.put(name, read(name));
    }
    return shapes.get(name);
  }

  private ClassShape read(String name) throws IOException {
    if (!name.startsWith("java/")) {
      byte[] classFile = (name.startsWith("io/winnow/") ? ours : theirs).find(name);
      if (classFile != null) {
        return new ClassShape(classFile);
      }
    }
    byte[] classFile = ofJdk.find(name);
    return classFile == null ? null : ClassShape.ofJdk(classFile);
  }
}

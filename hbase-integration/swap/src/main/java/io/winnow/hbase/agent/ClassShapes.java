package io.winnow.hbase.agent;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * What class files say, by name: each is read once, however often it is asked for here. To read
 * them is most of what the agent's start takes. Not thread-safe.
 */
final class ClassShapes {
  private final ClassFiles ours;
  private final ClassFiles theirs;
  private final ClassFiles ofJdk = ClassFiles.of(ClassLoader.getPlatformClassLoader());
  private final Map<String, ClassShape> shapes = new HashMap<>();

  /**
   * @param ours where Winnow is
   * @param theirs where HBase is, and all that it needs but the JDK
   */
  ClassShapes(ClassFiles ours, ClassFiles theirs) {
    this.ours = ours;
    this.theirs = theirs;
  }

  /**
   * The shape of a class, null if there is no such class.
   *
   * @throws RuntimeException if that is no class file
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

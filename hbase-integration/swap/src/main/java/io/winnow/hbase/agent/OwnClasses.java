package io.winnow.hbase.agent;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Has the JVM load our classes while it starts: none is then first looked for in the middle of a
 * Get, when the jar may have been replaced.
 *
 * <p>Found as the {@link LinkCheck} finds them, from those by which a {@link Feature} is entered,
 * and in all packages of ours. Loaded, and not initialised: what they need of HBase is not touched,
 * but for their supertypes. Not thread-safe.
 */
final class OwnClasses {
  private static final String OURS = "io/winnow/";

  /** The jar has what is needed of these libraries, and not all that they name. */
  private static final String LIBRARIES = "io/winnow/shaded/";

  /** The agent runs, and its classes with it. */
  private static final String AGENT = "io/winnow/hbase/agent/";

  private final ClassShapes shapes;
  private final ClassLoader loader;
  private final Set<String> seen = new HashSet<>();

  OwnClasses(ClassShapes shapes, ClassLoader loader) {
    this.shapes = shapes;
    this.loader = loader;
    for (Feature feature : Feature.values()) {
      seen.addAll(feature.entries());
    }
  }

  /** What first cannot be loaded of a feature's classes, in words; null if all can. */
  String problemWith(Feature feature) {
    String first = null;
    Deque<String> toDo = new ArrayDeque<>(feature.entries());
    while (!toDo.isEmpty()) { // to the end: what one feature has seen, no other one loads
      String name = toDo.pop();
      try {
        if (name.startsWith(LIBRARIES) && shapes.find(name) == null) {
          continue;
        }
        Class.forName(name.replace('/', '.'), false, loader);
        for (String other : shapes.find(name).classes()) {
          if (other.startsWith(OURS) && !other.startsWith(AGENT) && seen.add(other)) {
            toDo.push(other);
          }
        }
      } catch (ClassNotFoundException | LinkageError | IOException | RuntimeException e) {
        if (first == null) {
          first = "no class " + JavaNames.ofClass(name) + " (" + e + ")";
        }
      }
    }
    return first;
  }
}

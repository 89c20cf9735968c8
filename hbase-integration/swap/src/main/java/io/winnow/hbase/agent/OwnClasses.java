package io.winnow.hbase.agent;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Has the JVM load our classes while it starts: none is then first looked for in the middle of a
 * Get, when the jar may have been replaced.
 *
 * <p>Found as the {@link LinkCheck} finds them, from those by which a {@link Feature} is entered,
 * and in all packages of ours. Loaded, and not initialised: what they need of HBase is not touched,
 * but for their supertypes. Not thread-safe.
 *
 * <p>The class loader looks for a class in all jars of a server, of which ours is the last. So it
 * is asked for one class of each package; if that comes from the agent's jar, the others are
 * defined beside it, from the bytes that the link check has read there.
 */
final class OwnClasses {
  private static final String OURS = "io/winnow/";

  /** The jar has what is needed of these libraries, and not all that they name. */
  private static final String LIBRARIES = "io/winnow/shaded/";

  /** The agent runs, and its classes with it. */
  private static final String AGENT = "io/winnow/hbase/agent/";

  private final ClassShapes shapes;
  private final ClassLoader loader;
  private final OwnJar own;
  private final Map<String, MethodHandles.Lookup> packages = new HashMap<>();
  private final Set<String> loaded = new HashSet<>();
  private final Set<String> seen = new HashSet<>();

  /**
   * @param own the jar that the agent runs from
   */
  OwnClasses(ClassShapes shapes, ClassLoader loader, OwnJar own) {
    this.shapes = shapes;
    this.loader = loader;
    this.own = own;
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
        load(name);
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

  /** Loads a class, and before it those that it extends and implements. */
  private void load(String name) throws ClassNotFoundException, IOException {
    if (!loaded.add(name)) {
      return;
    }
    ClassShape shape = shapes.find(name);
    if (shape != null) {
      for (String supertype : shape.supertypes()) {
        if (supertype.startsWith(OURS)) {
          load(supertype);
        }
      }
    }
    String inPackage = name.substring(0, name.lastIndexOf('/'));
    MethodHandles.Lookup neighbour = packages.get(inPackage);
    if (neighbour != null && shape != null) {
      try {
        neighbour.defineClass(shape.classFile());
        return;
      } catch (LinkageError | IllegalAccessException e) {
        // It is loaded already, or the loader will say what is wrong with it.
      }
    }
    Class<?> type = Class.forName(name.replace('/', '.'), false, loader);
    if (neighbour == null && own.isOf(type)) {
      try {
        packages.put(inPackage, MethodHandles.privateLookupIn(type, MethodHandles.lookup()));
      } catch (IllegalAccessException e) { // then the loader is asked for each
      }
    }
  }
}

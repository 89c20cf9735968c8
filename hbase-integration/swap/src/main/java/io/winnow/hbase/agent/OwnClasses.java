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
 * Loader of Winnow's classes while the JVM starts, so that none is first loaded during a Get, when
 * the jar may have been replaced.
 *
 * <p>It finds the classes of all our packages from the entries of each {@link Feature}, as {@link
 * LinkCheck} does. It loads them and does not initialise them: of HBase only their supertypes are
 * loaded. Not thread-safe.
 *
 * <p>The class loader searches all jars of a server for a class, of which ours is the last. So it
 * loads one class of each package. If that class comes from the agent's jar, the others are defined
 * beside it, from the bytes that the link check has read there.
 */
final class OwnClasses {
  private static final String OURS = "io/winnow/";

  /**
   * Package prefix of Winnow's copies of libraries, of which the jar has only the classes that
   * Winnow needs.
   */
  private static final String LIBRARIES = "io/winnow/shaded/";

  /** Package prefix of the agent, whose classes are loaded because it runs. */
  private static final String AGENT = "io/winnow/hbase/agent/";

  private final ClassShapes shapes;
  private final ClassLoader loader;
  private final OwnJar own;
  private final Map<String, MethodHandles.Lookup> packages = new HashMap<>();
  private final Set<String> loaded = new HashSet<>();
  private final Set<String> seen = new HashSet<>();

  /**
   * Prepares to load Winnow's classes.
   *
   * @param own the jar from which the agent runs
   */
  OwnClasses(ClassShapes shapes, ClassLoader loader, OwnJar own) {
    this.shapes = shapes;
    this.loader = loader;
    this.own = own;
    for (Feature feature : Feature.values()) {
      seen.addAll(feature.entries);
    }
  }

  /**
   * Loads the classes of Winnow that a feature needs, and returns the first problem in words; null
   * if there is none.
   */
  String problemWith(Feature feature) {
    String first = null;
    Deque<String> toDo = new ArrayDeque<>(feature.entries);
    while (!toDo.isEmpty()) { // all of them: no other feature loads these
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

  /** Loads a class of Winnow, and before it the classes and interfaces that it extends. */
  private void load(String name) throws ClassNotFoundException, IOException {
    if (!loaded.add(name)) {
      return;
    }
    ClassShape shape = shapes.find(name);
    if (shape != null) {
      for (String supertype : shape.supertypes) {
        if (supertype.startsWith(OURS)) {
          load(supertype);
        }
      }
    }
    String inPackage = name.substring(0, name.lastIndexOf('/'));
    MethodHandles.Lookup neighbour = packages.get(inPackage);
    if (neighbour != null && shape != null) {
      try {
        neighbour.defineClass(shape.classFile);
        return;
      } catch (LinkageError | IllegalAccessException e) {
        // It is loaded already, or the loader below reports the problem.
      }
    }
    Class<?> type = Class.forName(name.replace('/', '.'), false, loader);
    if (neighbour == null && own.isOf(type)) {
      try {
        packages.put(inPackage, MethodHandles.privateLookupIn(type, MethodHandles.lookup()));
      } catch (IllegalAccessException e) { // then the loader loads each class
      }
    }
  }
}

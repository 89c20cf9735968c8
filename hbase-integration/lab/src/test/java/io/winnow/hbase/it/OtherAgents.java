package io.winnow.hbase.it;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** What other agents in a JVM may do, before Winnow's or after it. */
final class OtherAgents {
  static final String FACTORY = "org.apache.hadoop.hbase.util.BloomFilterFactory";
  static final String CHECKER = "org.apache.hadoop.hbase.util.TableDescriptorChecker";

  private OtherAgents() {}

  /**
   * The JVM's option for an agent, which is told a class, or what it says. Its jar holds a manifest
   * and nothing else: the class is found on the class path. Each option has a jar of its own,
   * because a JVM of another test may be reading the same agent's.
   */
  static String option(Class<?> agent, String argument) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(new Attributes.Name("Premain-Class"), agent.getName());
    attributes.put(new Attributes.Name("Can-Retransform-Classes"), "true");
    Path directory = Files.createDirectories(Path.of(System.getProperty("winnow.it.directory")));
    Path jar = Files.createTempFile(directory, agent.getSimpleName(), ".jar");
    jar.toFile().deleteOnExit();
    try (OutputStream out = Files.newOutputStream(jar)) {
      new JarOutputStream(out, manifest).close();
    }
    return "-javaagent:" + jar + "=" + argument;
  }

  /** What an agent makes of a class; null to leave it as it is. */
  @FunctionalInterface
  private interface Change {
    byte[] of(String name, Class<?> redefined, byte[] classFile);
  }

  /**
   * Has each class changed that is loaded from now on.
   *
   * @param again whether also each that is transformed again
   */
  private static void transform(Instrumentation instrumentation, boolean again, Change change) {
    instrumentation.addTransformer(
        new ClassFileTransformer() {
          @Override
          public byte[] transform(
              ClassLoader loader,
              String name,
              Class<?> redefined,
              ProtectionDomain domain,
              byte[] classFile) {
            return change.of(name, redefined, classFile);
          }
        },
        again);
  }

  /** Has a class loaded when Winnow comes. */
  public static final class Loads {
    private Loads() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation)
        throws ClassNotFoundException {
      Class.forName(arguments, false, ClassLoader.getSystemClassLoader());
    }
  }

  /** Says that the JVM is older than it is. */
  public static final class CallsItOld {
    private CallsItOld() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation) {
      System.setProperty("java.specification.version", arguments);
    }
  }

  /** Changes a class when it is loaded, so that it is not the one of the class path any more. */
  public static final class Renames {
    private Renames() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation) {
      String[] classAndMember = arguments.split(":");
      transform(
          instrumentation,
          false,
          (name, redefined, classFile) ->
              classAndMember[0].replace('.', '/').equals(name)
                  ? renamed(classFile, classAndMember[1])
                  : null);
    }
  }

  /** Transforms a class again. */
  public static final class Retransforms {
    private Retransforms() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation)
        throws ReflectiveOperationException, UnmodifiableClassException {
      transform(
          instrumentation,
          true,
          // An agent that rewrites a class gives its own bytes back.
          (name, redefined, classFile) ->
              arguments.replace('.', '/').equals(name) ? classFile.clone() : null);
      instrumentation.retransformClasses(
          Class.forName(arguments, false, ClassLoader.getSystemClassLoader()));
    }
  }

  /** Transforms a class again, and says whether it was woven by then. */
  public static final class Shows {
    private Shows() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation)
        throws ReflectiveOperationException, UnmodifiableClassException {
      Class<?> shown = Class.forName(arguments, false, ClassLoader.getSystemClassLoader());
      transform(
          instrumentation,
          true,
          (name, redefined, classFile) -> {
            if (shown.equals(redefined)) {
              String text = new String(classFile, StandardCharsets.ISO_8859_1);
              System.out.println("woven: " + text.contains("io/winnow/"));
            }
            return null;
          });
      instrumentation.retransformClasses(shown);
    }
  }

  /** Loads some classes, with commas between, and says of each whether it is woven. */
  public static final class ShowsAll {
    private ShowsAll() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation)
        throws ReflectiveOperationException {
      List<String> classes = List.of(arguments.split(","));
      transform(
          instrumentation,
          true, // after those of before
          (name, redefined, classFile) -> {
            if (name != null && classes.contains(name.replace('/', '.'))) {
              String text = new String(classFile, StandardCharsets.ISO_8859_1);
              System.out.println(
                  "woven: " + name.replace('/', '.') + " " + text.contains("io/winnow/"));
            }
            return null;
          });
      for (String name : classes) {
        Class.forName(name, false, ClassLoader.getSystemClassLoader());
      }
    }
  }

  /** A class file in which a name is another one of the same length. */
  static byte[] renamed(byte[] classFile, String name) {
    String text = new String(classFile, StandardCharsets.ISO_8859_1);
    String other = name.isEmpty() ? "" : name.substring(0, name.length() - 1) + "_";
    if (!text.contains(name)) {
      throw new IllegalArgumentException("no " + name);
    }
    return text.replace(name, other).getBytes(StandardCharsets.ISO_8859_1);
  }
}

package io.winnow.hbase.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

/** Weaves one class when it is loaded, and looks at no other. Thread-safe. */
final class BloomFilterFactoryTransformer implements ClassFileTransformer {

  /**
   * The woven class; null, which leaves it as it is, for every other one, and where the class comes
   * from a loader that cannot be expected to see Winnow, or has changed since the start.
   */
  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (!BloomFilterFactoryWeaver.TARGET.equals(className)) {
      return null;
    }
    try {
      String problem =
          loader == ClassLoader.getSystemClassLoader()
              ? BloomFilterFactoryWeaver.problemWith(classFile)
              : "it is loaded by " + loader + ", not by the application class loader";
      if (problem == null) {
        return BloomFilterFactoryWeaver.weave(classFile);
      }
      report(problem);
    } catch (RuntimeException | LinkageError e) {
      report(e.toString()); // the JVM itself would say nothing
    }
    return null;
  }

  /** What is left then is a stock HBase, which serves every row. */
  private static void report(String problem) {
    System.err.println(
        "Winnow: its filters are NOT in use in this JVM: "
            + BloomFilterFactoryWeaver.TARGET.replace('/', '.')
            + ": "
            + problem);
  }
}

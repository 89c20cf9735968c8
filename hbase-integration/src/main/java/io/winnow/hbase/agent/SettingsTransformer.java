package io.winnow.hbase.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

/**
 * Weaves the two classes by which settings are checked and laid over each other. Where one has not
 * the expected method, there is a line on standard error, and that part is missing. Thread-safe.
 */
final class SettingsTransformer implements ClassFileTransformer {
  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    boolean isChecker = TableDescriptorCheckerWeaver.TARGET.equals(className);
    if (!isChecker && !StoreUtilsWeaver.TARGET.equals(className)) {
      return null;
    }
    String lost =
        isChecker
            ? "settings are not checked when a table is created or altered"
            : "system tables keep HBase's own filters";
    try {
      String problem =
          loader != ClassLoader.getSystemClassLoader()
              ? "it is loaded by " + loader + ", not by the application class loader"
              : isChecker
                  ? TableDescriptorCheckerWeaver.problemWith(classFile)
                  : StoreUtilsWeaver.problemWith(classFile);
      if (problem == null) {
        return isChecker
            ? TableDescriptorCheckerWeaver.weave(classFile)
            : StoreUtilsWeaver.weave(classFile);
      }
      warn(className, problem, lost);
    } catch (RuntimeException | LinkageError e) {
      warn(className, e.toString(), lost); // the JVM itself would say nothing
    }
    return null;
  }

  private static void warn(String className, String problem, String lost) {
    System.err.println(
        "Winnow: WARNING: " + lost + " (" + className.replace('/', '.') + ": " + problem + ")");
  }
}

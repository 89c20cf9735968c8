package io.winnow.hbase.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Class-file transformer that weaves some classes of HBase when they are loaded or transformed
 * again.
 *
 * <p>A class stays as it is, and the problem is reported, if it comes from a class loader that may
 * not see Winnow, if it does not fit, or if weaving fails. Thread-safe if the listener is. Each
 * other class that is loaded costs a look-up in a small map.
 */
final class WeavingTransformer implements ClassFileTransformer {
  private final Map<String, WovenClass> classes = new ConcurrentHashMap<>();
  private final BiConsumer<WovenClass, String> problems;

  /**
   * Creates a transformer that weaves the given classes of HBase.
   *
   * @param problems receives each class that is not woven, with the reason
   */
  WeavingTransformer(Collection<WovenClass> classes, BiConsumer<WovenClass, String> problems) {
    for (WovenClass woven : classes) {
      this.classes.put(woven.target(), woven);
    }
    this.problems = problems;
  }

  /** Stops weaving the classes of a feature, which stay as they are from now on. */
  void leave(Feature feature) {
    classes.values().removeIf(woven -> woven.feature == feature);
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    WovenClass woven = className == null ? null : classes.get(className);
    if (woven == null) {
      return null;
    }
    String problem;
    try {
      problem =
          loader == ClassLoader.getSystemClassLoader()
              ? woven.weaver.problemWith(classFile)
              : "it is loaded by "
                  + (loader == null ? "the boot loader" : loader)
                  + ", not by the application's";
      if (problem == null) {
        return woven.weaver.weave(classFile);
      }
    } catch (Throwable e) { // the JVM would not report it
      problem = "weaving failed: " + e;
    }
    problems.accept(woven, problem);
    return null;
  }
}

package io.winnow.hbase.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Weaves the classes it is given when they are loaded, or transformed again, and looks at no other.
 *
 * <p>A class is left as it is where it comes from a loader that cannot be expected to see Winnow,
 * where it has changed since it was checked, and where weaving fails; each time the problem is
 * told. Thread-safe if the listener is. Costs a look into a small map per class loaded.
 */
final class WeavingTransformer implements ClassFileTransformer {
  private final Map<String, WovenClass> classes = new ConcurrentHashMap<>();
  private final BiConsumer<WovenClass, String> problems;

  /**
   * @param problems is told what is not woven, and why
   */
  WeavingTransformer(Collection<WovenClass> classes, BiConsumer<WovenClass, String> problems) {
    for (WovenClass woven : classes) {
      this.classes.put(woven.target(), woven);
    }
    this.problems = problems;
  }

  /** From now on the classes of this feature stay as they are. */
  void leave(Feature feature) {
    classes.values().removeIf(woven -> woven.feature() == feature);
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
              ? woven.weaver().problemWith(classFile)
              : "it is loaded by "
                  + (loader == null ? "the boot loader" : loader)
                  + ", not by the application's";
      if (problem == null) {
        return woven.weaver().weave(classFile);
      }
    } catch (Throwable e) { // the JVM itself would say nothing
      problem = "weaving failed: " + e;
    }
    problems.accept(woven, problem);
    return null;
  }
}

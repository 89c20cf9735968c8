package io.winnow.hbase.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Weaves one class for the sake of metrics. If it cannot, that costs a line on standard error and
 * the metrics, and no more. Thread-safe.
 */
record MetricsTransformer(
    String target, Function<byte[], String> problemWith, UnaryOperator<byte[]> weave)
    implements ClassFileTransformer {

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (!target.equals(className)) {
      return null;
    }
    try {
      String problem =
          redefined != null
              ? "it is loaded already"
              : loader == ClassLoader.getSystemClassLoader()
                  ? problemWith.apply(classFile)
                  : "it is loaded by " + loader + ", not by the application class loader";
      if (problem == null) {
        return weave.apply(classFile);
      }
      warn(problem);
    } catch (RuntimeException | LinkageError e) {
      warn(e.toString()); // the JVM itself would say nothing
    }
    return null;
  }

  private void warn(String problem) {
    System.err.println(
        "Winnow: WARNING: some metrics are missing: " + target.replace('/', '.') + ": " + problem);
  }
}

package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The agent: {@code -javaagent:winnow-hbase.jar} on every JVM that writes or reads store files.
 *
 * <p>Either the JVM's HBase has the methods that the swap weaves, exactly as expected, or the JVM
 * does not start: exit code 1 and one message. A server that ran on without would write stock
 * filters, and serve without those it cannot read, and nobody would notice.
 *
 * <p>Costs one class file read and checked at start, and two comparisons of names per class loaded.
 */
public final class WinnowAgent {
  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private WinnowAgent() {}

  /** Called by the JVM. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    if (!STARTED.compareAndSet(false, true)) {
      return; // named twice on the command line
    }
    String resource = BloomFilterFactoryWeaver.TARGET + ".class";
    String problem;
    try (InputStream in = ClassLoader.getSystemResourceAsStream(resource)) {
      problem =
          in == null
              ? "the class is not on the class path"
              : BloomFilterFactoryWeaver.problemWith(in.readAllBytes());
    } catch (IOException e) {
      problem = "the class cannot be read: " + e;
    }
    if (problem != null) {
      refuseToStart(problem);
    }
    instrumentation.addTransformer(new BloomFilterFactoryTransformer());
    instrumentation.addTransformer(new SettingsTransformer());
    instrumentation.addTransformer(new BulkLoadTransformer());
  }

  private static void refuseToStart(String problem) {
    System.err.println(refusal(problem));
    System.err.flush();
    System.exit(1);
  }

  static String refusal(String problem) {
    return """
        Winnow: cannot put its filters into this HBase, so the JVM is not started.
          Class:    %s
          Found:    %s
          Expected: %s
          What to do: use the Winnow release that was made for this version of HBase, \
        or take -javaagent:winnow-hbase.jar off this JVM's options. Without the agent HBase serves \
        every row, using its own Bloom filters only."""
        .formatted(
            BloomFilterFactoryWeaver.TARGET.replace('/', '.'),
            problem,
            BloomFilterFactoryWeaver.expectation());
  }
}

package io.winnow.hbase.agent;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The agent: {@code -javaagent:winnow-hbase.jar} on every JVM that writes or reads store files.
 *
 * <p>Its start ends in one of four ways, each said on standard error:
 *
 * <ul>
 *   <li>The filters are active, and this is proven: one INFO line.
 *   <li>They cannot be, and the JVM does not start: a message, and exit code 1. A server that ran
 *       on without would write stock filters, and serve without those it cannot read.
 *   <li>They cannot be, and the agent is optional: one ERROR line, and nothing is woven.
 *   <li>There is no HBase server in this JVM: one INFO line.
 * </ul>
 *
 * <p>Nothing of HBase is initialised. {@code docs/design/agent.md} says how it is done, and what it
 * costs.
 */
public final class WinnowAgent {
  private static final AtomicBoolean STARTED = new AtomicBoolean();
  private static volatile boolean active;

  private WinnowAgent() {}

  /** Called by {@link Premain}, by name. */
  public static void start(boolean optional, Instrumentation instrumentation) {
    if (!STARTED.compareAndSet(false, true)) {
      return; // named twice on the command line
    }
    try {
      Installation installation = new Installation(instrumentation);
      System.err.println("Winnow: INFO: " + installation.install());
      active = installation.isActive();
    } catch (Refusal e) {
      System.err.println(optional ? e.asLine() : e.asMessage());
      System.err.flush();
      if (!optional) {
        System.exit(1);
      }
    }
  }

  /** Whether HBase's classes in this JVM ask Winnow for filters. */
  public static boolean isActive() {
    return active;
  }

  /** Winnow's version, as its jar tells it. */
  public static String version() {
    String version = WinnowAgent.class.getPackage().getImplementationVersion();
    return version == null ? "of an unknown version" : version;
  }
}

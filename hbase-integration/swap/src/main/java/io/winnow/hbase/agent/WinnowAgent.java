package io.winnow.hbase.agent;

import io.winnow.hbase.AgentState;
import java.lang.instrument.Instrumentation;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The Java agent: {@code -javaagent:winnow-hbase.jar} on every JVM that writes or reads store
 * files.
 *
 * <p>Its start ends in one of four ways, each reported on standard error:
 *
 * <ul>
 *   <li>The filters are active, and this is proven: one INFO line.
 *   <li>The filters cannot be active: a message, and exit code 1. A server without the agent would
 *       write stock filters, and serve files with our filters without them. If the agent is
 *       optional, there is one ERROR line, and nothing is woven.
 *   <li>Java is older than 11, which {@link Premain} checks: the same, with one ERROR line.
 *   <li>There is no HBase server in this JVM: one INFO line.
 * </ul>
 *
 * <p>No class of HBase is initialised. {@code docs/design/agent.md} describes the start and its
 * cost.
 */
public final class WinnowAgent {
  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private WinnowAgent() {}

  /**
   * Starts the agent and reports the result on standard error. {@link Premain} calls it by name.
   *
   * @param namesOff features that the operator switched off
   */
  public static void start(
      boolean optional, List<String> namesOff, Instrumentation instrumentation) {
    if (!STARTED.compareAndSet(false, true)) {
      return; // named twice on the command line
    }
    Set<Feature> features;
    try {
      features = features(namesOff);
    } catch (IllegalArgumentException e) {
      Premain.refuse(optional, e.getMessage());
      return;
    }
    AgentState.switchOff(namesOff);
    try {
      Installation installation = new Installation(instrumentation, features);
      System.err.println("Winnow: INFO: " + installation.install());
      if (installation.isActive()) {
        AgentState.activate();
      }
    } catch (Refusal e) {
      System.err.println(optional ? e.asLine() : e.asMessage());
      System.err.flush();
      if (!optional) {
        System.exit(1);
      }
    }
  }

  /**
   * Returns the features of Winnow with the given names.
   *
   * @throws IllegalArgumentException if no feature that can be off has such a name
   */
  static Set<Feature> features(List<String> namesOff) {
    Map<String, Feature> switches = new LinkedHashMap<>();
    for (Feature feature : Feature.values()) {
      if (!feature.isRequired()) {
        switches.put(feature.label, feature);
      }
    }
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    for (String name : namesOff) {
      Feature feature = switches.get(name);
      if (feature == null) {
        throw new IllegalArgumentException(
            ("the agent's argument has off=" + name + ", which is none of ")
                + (String.join(", ", switches.keySet()) + "."));
      }
      features.add(feature);
    }
    return features;
  }
}

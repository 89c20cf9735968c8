package io.winnow.hbase;

import java.util.Collection;
import java.util.Set;

/** State of Winnow's agent in this JVM: active or not, and the features that are off. */
public final class AgentState {
  private static volatile Set<String> switchedOff = Set.of();
  private static volatile boolean active;

  private AgentState() {}

  /** Records the names of the agent's features that the operator switched off. */
  public static void switchOff(Collection<String> names) {
    switchedOff = Set.copyOf(names);
  }

  /** Records that HBase's classes in this JVM use Winnow's filters from now on. */
  public static void activate() {
    active = true;
  }

  /** Returns true if HBase's classes in this JVM use Winnow's filters. */
  public static boolean isActive() {
    return active;
  }

  /**
   * Returns true if the operator switched off the agent's feature with the given name. Features
   * that weave nothing need it.
   */
  public static boolean isSwitchedOff(String name) {
    return switchedOff.contains(name);
  }

  /** Returns Winnow's version, from the manifest of its jar. */
  public static String version() {
    String version = AgentState.class.getPackage().getImplementationVersion();
    return version == null ? "of an unknown version" : version;
  }
}

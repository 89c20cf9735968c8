package io.winnow.hbase;

import java.util.Collection;
import java.util.Set;

/** What the agent, if there is one, has done in this JVM: it says so, and others ask. */
public final class AgentState {
  private static volatile Set<String> switchedOff = Set.of();
  private static volatile boolean active;

  private AgentState() {}

  /** The operator switched off the features of these names. */
  public static void switchOff(Collection<String> names) {
    switchedOff = Set.copyOf(names);
  }

  /** HBase's classes in this JVM ask Winnow for filters from now on. */
  public static void activate() {
    active = true;
  }

  /** Whether HBase's classes in this JVM ask Winnow for filters. */
  public static boolean isActive() {
    return active;
  }

  /** Whether the operator switched off the feature of this name; asked where nothing is woven. */
  public static boolean isSwitchedOff(String name) {
    return switchedOff.contains(name);
  }

  /** Winnow's version, as its jar tells it. */
  public static String version() {
    String version = AgentState.class.getPackage().getImplementationVersion();
    return version == null ? "of an unknown version" : version;
  }
}

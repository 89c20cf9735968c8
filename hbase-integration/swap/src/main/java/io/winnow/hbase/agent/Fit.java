package io.winnow.hbase.agent;

import io.winnow.hbase.AgentState;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Result of a check of HBase's class files: those to be woven must have a known shape, and members
 * that Winnow uses must exist. No class is loaded. The agent decides by it, and {@code winnow
 * doctor} reports it before the agent is installed.
 */
public final class Fit {
  private static final WovenClass FACTORY = WovenClass.ALL.get(0);

  /** True if hbase-server is on the class path; without it the agent has nothing to do. */
  public final boolean hasServer;

  /** The version of hbase-server. */
  public final String hbase;

  /** The version of hbase-common. */
  public final String common;

  /** The reason why the agent refuses to start; null if it starts. */
  public final String refusal;

  /** The features of Winnow that are off in this HBase, each with the reason. */
  public final Map<String, String> off = new LinkedHashMap<>();

  private Fit(ClassLoader hbaseLoader) {
    ClassFiles hbaseFiles = ClassFiles.of(hbaseLoader);
    this.hbase = HBaseVersion.in(hbaseLoader);
    this.common = HBaseVersion.ofCommon(hbaseFiles);
    this.hasServer = hbaseLoader.getResource(FACTORY.target() + ".class") != null;
    this.refusal = hasServer ? compare(hbaseFiles) : null;
  }

  /** Compares Winnow with the HBase that a class loader finds, without loading a class. */
  public static Fit of(ClassLoader hbase) {
    return new Fit(hbase);
  }

  /**
   * Compares the class files of Winnow and HBase, records the features that must be off, and
   * returns the reason why the agent refuses to start; null if it starts.
   */
  private String compare(ClassFiles hbaseFiles) {
    try (OwnJar own = OwnJar.open(ClassFiles.of(Fit.class.getClassLoader()))) {
      ClassShapes shapes = new ClassShapes(own, hbaseFiles);
      Map<Feature, String> features = check(shapes);
      for (WovenClass woven : WovenClass.ALL) {
        // Many hosts do not have the tools, nor each line of HBase the web pages.
        if (woven.isLate() && hbaseFiles.find(woven.target()) != null) {
          String problem = problemWith(woven, shapes);
          if (problem != null) {
            features.putIfAbsent(woven.feature, woven.simpleName() + ": " + problem);
          }
        }
      }
      features.forEach((feature, why) -> off.put(feature.toString(), why));
      return null;
    } catch (Refusal e) {
      return e.getMessage();
    } catch (IOException e) {
      return "a class file cannot be read: " + e;
    }
  }

  /** Returns true if the versions of hbase-server and hbase-common are known. */
  public boolean hasKnownVersions() {
    return !hbase.equals(HBaseVersion.UNKNOWN) && !common.equals(HBaseVersion.UNKNOWN);
  }

  /** Returns true if a version of Java is too old for the agent; false for an unknown version. */
  public static boolean isTooOld(String javaVersion) {
    String major = javaVersion.startsWith("1.") ? javaVersion : javaVersion.split("[.+-]")[0];
    return Premain.isTooOld(major);
  }

  /**
   * Returns the features that the agent's argument switches off, each with the reason.
   *
   * @param argument null for none
   * @throws IllegalArgumentException if the agent refuses it
   */
  public static Map<String, String> switchedOff(String argument) {
    Map<String, String> off = new LinkedHashMap<>();
    for (Feature feature : WinnowAgent.features(Premain.namesOff(argument))) {
      off.put(feature.toString(), "off=" + feature.label);
    }
    return off;
  }

  /**
   * Returns the features of Winnow that are off because HBase does not fit, each with the reason.
   * Classes that are checked when they are loaded are left out.
   *
   * @throws Refusal if a required feature does not fit
   */
  static Map<Feature, String> check(ClassShapes shapes) throws Refusal {
    Map<Feature, String> off = new EnumMap<>(Feature.class);
    for (WovenClass woven : WovenClass.ALL) {
      String problem = woven.isLate() ? null : problemWith(woven, shapes);
      if (problem != null && woven.feature.isRequired()) {
        throw new Refusal(woven.className(), problem, BloomFilterFactoryWeaver.expectation());
      }
      if (problem != null) {
        off.putIfAbsent(woven.feature, woven.simpleName() + ": " + problem);
      }
    }
    Map<Feature, Set<String>> missing = new LinkCheck(shapes).problems();
    for (Map.Entry<Feature, Set<String>> entry : missing.entrySet()) {
      String problem = String.join("; ", entry.getValue());
      if (entry.getKey().isRequired()) {
        throw new Refusal(
            "those of HBase that Winnow uses",
            problem,
            "every class, method and field that Winnow " + AgentState.version() + " uses");
      }
      off.putIfAbsent(entry.getKey(), problem);
    }
    return off;
  }

  private static String problemWith(WovenClass woven, ClassShapes shapes) {
    try {
      ClassShape shape = shapes.find(woven.target());
      return shape == null ? "the class is not on the class path" : woven.weaver.problemWith(shape);
    } catch (IOException e) {
      return "the class cannot be read: " + e;
    } catch (RuntimeException e) {
      return Weaver.unknown(e);
    }
  }
}

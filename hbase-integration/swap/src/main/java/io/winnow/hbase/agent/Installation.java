package io.winnow.hbase.agent;

import io.winnow.hbase.AgentState;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;

/** An attempt to put Winnow into the HBase on this JVM's class path. */
final class Installation {
  private static final WovenClass FACTORY = WovenClass.ALL.get(0);

  private final Instrumentation instrumentation;
  private final ClassLoader application = ClassLoader.getSystemClassLoader();
  private final ClassFiles classFiles = ClassFiles.of(application);

  /** Features of Winnow that are off in this JVM, each with the reason. */
  private final Map<Feature, String> off = new EnumMap<>(Feature.class);

  /**
   * Classes of HBase that the transformer could not weave during the installation, each with the
   * problem.
   */
  private final Map<WovenClass, String> unwoven = new ConcurrentHashMap<>();

  private volatile boolean done;
  private boolean active;

  /**
   * Prepares an installation of Winnow in this JVM.
   *
   * @param switchedOff features that the operator does not want, none of them required
   */
  Installation(Instrumentation instrumentation, Set<Feature> switchedOff) {
    this.instrumentation = instrumentation;
    for (Feature feature : switchedOff) {
      off.put(feature, "off=" + feature.label);
    }
  }

  boolean isActive() {
    return active;
  }

  /**
   * Weaves the classes of HBase, and checks that the JVM uses the woven ones.
   *
   * @return the message for the operator
   * @throws Refusal if the filters are not in use; then nothing is woven
   */
  String install() throws Refusal {
    if (!isThere(FACTORY)) {
      // If another class loader brings an HBase later, that is reported.
      instrumentation.addTransformer(new WeavingTransformer(List.of(FACTORY), this::report));
      done = true;
      return ("no HBase server is on the class path of this JVM ("
          + FACTORY.className()
          + " is not there): there is nothing to do.");
    }
    try (OwnJar own = OwnJar.open(classFiles)) {
      return weave(own, new ClassShapes(own, classFiles));
    }
  }

  private String weave(OwnJar own, ClassShapes shapes) throws Refusal {
    for (Map.Entry<Feature, String> one : Fit.check(shapes).entrySet()) {
      off.putIfAbsent(one.getKey(), one.getValue());
    }
    WeavingTransformer transformer = new WeavingTransformer(woven(), this::report);
    instrumentation.addTransformer(transformer, true);
    try {
      weaveTheLoaded(transformer);
      prove();
      loadOwnClasses(own, shapes, transformer);
      active = true;
    } finally {
      if (!active) {
        instrumentation.removeTransformer(transformer);
        for (Feature feature : Feature.values()) {
          makeStock(feature);
        }
      }
      done = true;
    }
    return success(woven());
  }

  /** Returns the classes of HBase to weave, for the features of Winnow that are on. */
  private List<WovenClass> woven() {
    List<WovenClass> woven = new ArrayList<>();
    for (WovenClass one : WovenClass.ALL) {
      if (!off.containsKey(one.feature)) {
        woven.add(one);
      }
    }
    return woven;
  }

  private boolean isThere(WovenClass woven) {
    return application.getResource(woven.target() + ".class") != null;
  }

  private void turnOff(Feature feature, String problem, WovenClass woven) throws Refusal {
    if (feature.isRequired()) {
      throw new Refusal(woven.className(), problem, BloomFilterFactoryWeaver.expectation());
    }
    off.putIfAbsent(feature, woven.simpleName() + ": " + problem);
  }

  /**
   * Weaves the classes of HBase that were loaded before the agent, for instance by another agent.
   */
  private void weaveTheLoaded(WeavingTransformer transformer) throws Refusal {
    for (Map.Entry<Class<?>, WovenClass> loaded : loaded().entrySet()) {
      WovenClass woven = loaded.getValue();
      if (off.containsKey(woven.feature)) {
        continue;
      }
      try {
        instrumentation.retransformClasses(loaded.getKey());
      } catch (Exception | LinkageError e) {
        unwoven.putIfAbsent(woven, "it was loaded before the agent, and cannot be changed: " + e);
      }
      if (unwoven.containsKey(woven)) {
        turnOff(woven.feature, unwoven.get(woven), woven);
        transformer.leave(woven.feature);
        makeStock(woven.feature);
      }
    }
  }

  /**
   * Loads Winnow's classes before the first Get needs them. It loads the classes of features that
   * are off too, because they are called to find out whether the feature is on.
   */
  private void loadOwnClasses(OwnJar own, ClassShapes shapes, WeavingTransformer transformer)
      throws Refusal {
    OwnClasses classes = new OwnClasses(shapes, application, own);
    for (Feature feature : Feature.values()) {
      String problem = classes.problemWith(feature);
      if (problem != null && !off.containsKey(feature)) {
        if (feature.isRequired()) {
          throw new Refusal("those of Winnow's jar", problem, "the whole jar");
        }
        off.put(feature, problem);
        transformer.leave(feature);
        makeStock(feature);
      }
    }
  }

  /** Returns the classes to weave that the JVM has loaded already. */
  private Map<Class<?>, WovenClass> loaded() {
    Map<String, WovenClass> byName = new HashMap<>();
    for (WovenClass woven : WovenClass.ALL) {
      byName.put(woven.className(), woven);
    }
    Map<Class<?>, WovenClass> found = new LinkedHashMap<>();
    for (Class<?> loaded : instrumentation.getInitiatedClasses(application)) {
      WovenClass woven = byName.get(loaded.getName());
      if (woven != null) {
        found.put(loaded, woven);
      }
    }
    return found;
  }

  /**
   * Restores the stock classes of HBase that were woven for a feature of Winnow. The transformer
   * must have left them before.
   */
  private void makeStock(Feature feature) {
    for (Map.Entry<Class<?>, WovenClass> loaded : loaded().entrySet()) {
      if (loaded.getValue().feature == feature) {
        try {
          instrumentation.retransformClasses(loaded.getKey());
        } catch (Exception | LinkageError e) {
          System.err.println(
              "Winnow: WARNING: cannot be made stock again: " + loaded.getKey() + ": " + e);
        }
      }
    }
  }

  /**
   * Checks that HBase's {@code BloomFilterFactory} calls Winnow's hooks, by the bytes of its class
   * that the JVM accepted.
   */
  private void prove() throws Refusal {
    Witness witness = new Witness();
    instrumentation.addTransformer(witness, true); // the last one sees the result of the others
    String problem = null;
    try {
      Class<?> factory = Class.forName(FACTORY.className(), false, application);
      if (witness.seen == null) { // it was loaded already
        instrumentation.retransformClasses(factory);
      }
      if (witness.seen == null || !BloomFilterFactoryWeaver.isWoven(witness.seen)) {
        problem = "the class as the JVM has it does not call Winnow";
      }
    } catch (Exception | LinkageError e) {
      problem = "the class cannot be loaded: " + e;
    } finally {
      instrumentation.removeTransformer(witness);
    }
    if (problem != null) {
      turnOff(Feature.FILTERS, unwoven.getOrDefault(FACTORY, problem), FACTORY);
    }
  }

  /**
   * Transformer that changes nothing and records the bytes of HBase's {@code BloomFilterFactory} as
   * the JVM gets them.
   */
  private final class Witness implements ClassFileTransformer {
    private volatile byte[] seen;

    @Override
    public byte[] transform(
        ClassLoader loader,
        String className,
        Class<?> redefined,
        ProtectionDomain domain,
        byte[] classFile) {
      if (FACTORY.target().equals(className) && loader == application) {
        seen = classFile;
      }
      return null;
    }
  }

  private String success(List<WovenClass> woven) {
    String active =
        "version " + AgentState.version() + " is active in HBase " + HBaseVersion.in(application);
    StringJoiner on = new StringJoiner(", ");
    StringJoiner notOn = new StringJoiner("; ");
    StringJoiner without = new StringJoiner(", ", ", without ", "");
    without.setEmptyValue("");
    notOn.setEmptyValue("nothing");
    for (Feature feature : Feature.values()) {
      if (off.containsKey(feature)) {
        notOn.add(feature + " (" + off.get(feature) + ")");
        without.add(feature.label);
      } else {
        on.add(feature.label);
      }
    }
    if (!isServer(System.getProperty("sun.java.command", ""), System.getProperties())) {
      return active + without + ".";
    }
    return (active + ". Woven: " + names(woven, false))
        + ("; when they are loaded: " + names(woven, true))
        + (". On: " + on + ". Off: " + notOn + ".");
  }

  /**
   * Returns true if this JVM runs a server, whose log has to list the woven classes. {@code
   * bin/hbase} marks its JVMs by a property; other JVMs are recognised by the main class.
   */
  static boolean isServer(String command, Map<?, ?> properties) {
    String main = command.split(" ", 2)[0];
    return properties.containsKey("proc_master")
        || properties.containsKey("proc_regionserver")
        || main.endsWith("Server")
        || main.endsWith("HMaster");
  }

  private static String names(List<WovenClass> woven, boolean late) {
    StringJoiner names = new StringJoiner(", ");
    names.setEmptyValue("nothing");
    for (WovenClass one : woven) {
      if (one.isLate() == late) {
        names.add(one.simpleName());
      }
    }
    return names.toString();
  }

  /**
   * Records a problem with the weaving of a class, and prints a problem that appears after the
   * installation.
   */
  private void report(WovenClass woven, String problem) {
    if (!done) {
      unwoven.put(woven, problem);
    } else if (woven.feature.isRequired()) {
      System.err.println(
          "Winnow: WARNING: HBase's own filters are in use beside Winnow's, or in their place: "
              + (woven.className() + ": " + problem));
    } else {
      System.err.println(
          ("Winnow: WARNING: off: " + woven.feature + ": " + woven.className() + ": ")
              + (problem + woven.feature.advice()));
    }
  }
}

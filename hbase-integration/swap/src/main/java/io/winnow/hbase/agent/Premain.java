package io.winnow.hbase.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The entry of the Java agent, {@code -javaagent:winnow-hbase.jar}, perhaps with the argument
 * {@code optional}, or {@code off=page,metrics}, or both with a comma between.
 *
 * <p>This class file is one for Java 8, so that a JVM which is too old can report it. The class
 * names our other classes only by text.
 */
public final class Premain {
  private static final int NEEDED = 11;
  private static final String OPTIONAL = "optional";
  private static final String OFF = "off=";

  private Premain() {}

  /** Starts Winnow's agent. The JVM calls it before {@code main}. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    List<String> off;
    try {
      off = namesOff(arguments);
    } catch (IllegalArgumentException e) {
      refuse(false, e.getMessage());
      return;
    }
    boolean optional = arguments != null && Arrays.asList(arguments.split(",")).contains(OPTIONAL);
    String problem = problemWithJava();
    if (problem != null) {
      refuse(optional, problem);
      return;
    }
    try {
      Class.forName("io.winnow.hbase.agent.WinnowAgent")
          .getMethod("start", boolean.class, List.class, Instrumentation.class)
          .invoke(null, optional, off, instrumentation);
    } catch (InvocationTargetException e) {
      refuse(optional, "the agent failed: " + e.getCause() + ".");
    } catch (ReflectiveOperationException | LinkageError e) {
      refuse(optional, "the agent's jar is not whole: " + e + ".");
    }
  }

  /**
   * Returns the names of the features that the agent's argument switches off.
   *
   * @param arguments the agent's argument; null for none
   * @throws IllegalArgumentException if a part of the argument is unknown
   */
  static List<String> namesOff(String arguments) {
    List<String> off = new ArrayList<>();
    if (arguments == null || arguments.isEmpty()) {
      return off;
    }
    boolean inOff = false;
    for (String one : arguments.split(",", -1)) {
      if (one.startsWith(OFF)) {
        inOff = true;
        off.add(one.substring(OFF.length()));
      } else if (inOff && !one.equals(OPTIONAL)) {
        off.add(one);
      } else if (!one.equals(OPTIONAL)) {
        throw new IllegalArgumentException(
            ("the agent's argument is '" + arguments)
                + "', must be 'optional', or 'off=' and names, or none.");
      }
    }
    return off;
  }

  /** Returns the reason why Winnow does not run on the Java of this JVM; null if it does. */
  public static String problemWithJava() {
    String found = System.getProperty("java.specification.version");
    return isTooOld(found)
        ? ("this JVM is Java " + found + " (" + System.getProperty("java.home") + "), Winnow needs")
            + (" Java " + NEEDED + " or newer.")
        : null;
  }

  /**
   * Returns true if a version of Java is older than Java 11; Java 8 and older have versions like
   * 1.8.
   */
  static boolean isTooOld(String version) {
    try {
      return version.startsWith("1.") || Integer.parseInt(version) < NEEDED;
    } catch (NumberFormatException | NullPointerException e) {
      return false; // no known Java has such a version, and each checks that of class files
    }
  }

  /** Prints why the agent does not start, and ends the JVM if the agent is not optional. */
  static void refuse(boolean optional, String problem) {
    String inOneLine = problem.replaceAll("\\s*\\R\\s*", " ");
    System.err.println(
        optional
            ? "Winnow: ERROR: its filters are NOT in use in this JVM, HBase's own are: " + inOneLine
            : "Winnow: ERROR: the JVM is not started: "
                + inOneLine
                + " Take -javaagent:winnow-hbase.jar off its options to start it without.");
    System.err.flush();
    if (!optional) {
      System.exit(1);
    }
  }
}

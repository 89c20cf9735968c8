package io.winnow.hbase.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where the JVM enters the agent, {@code -javaagent:winnow-hbase.jar}, perhaps with the argument
 * {@code optional}, or {@code off=page,metrics}, or both with a comma between.
 *
 * <p>This class file, and no other of Winnow's, is one for Java 8, so that a JVM which is too old
 * can say so. Nothing here may name a class of ours but by text.
 */
public final class Premain {
  private static final int NEEDED = 11;
  private static final String OFF = "off=";

  private Premain() {}

  /** Called by the JVM before {@code main}. */
  public static void premain(String arguments, Instrumentation instrumentation) {
    boolean optional = false;
    boolean inOff = false;
    List<String> off = new ArrayList<>();
    String all = arguments == null ? "" : arguments;
    for (String one : Arrays.asList(all.split(",", -1))) {
      if (one.equals("optional")) {
        optional = true;
      } else if (one.startsWith(OFF)) {
        inOff = true;
        off.add(one.substring(OFF.length()));
      } else if (inOff) {
        off.add(one);
      } else if (!all.isEmpty()) {
        refuse(
            false,
            ("the agent's argument is '"
                    + arguments
                    + "', must be 'optional', or 'off=' and names,")
                + " or none.");
        return;
      }
    }
    String found = System.getProperty("java.specification.version");
    if (isTooOld(found)) {
      refuse(
          optional,
          ("this JVM is Java " + found + " (" + System.getProperty("java.home") + "), Winnow needs")
              + (" Java " + NEEDED + " or newer."));
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

  /** Java 8 and older call themselves 1.8 and the like. */
  static boolean isTooOld(String version) {
    try {
      return version.startsWith("1.") || Integer.parseInt(version) < NEEDED;
    } catch (NumberFormatException | NullPointerException e) {
      return false; // no known Java calls itself so, and each checks the class files' version
    }
  }

  /** One line, and the end of the JVM if the agent is not optional. */
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

package io.winnow.hbase.tools;

import io.winnow.hbase.agent.Premain;
import java.lang.reflect.InvocationTargetException;

/**
 * Entry point of the operator's tools: {@code hbase io.winnow.hbase.tools.Winnow COMMAND}.
 *
 * <p>Like {@link Premain}, this class is compiled for Java 8, so that a JVM that is too old can
 * print a clear error: users run {@code doctor} on such hosts. It may refer to other classes of
 * Winnow only by name.
 */
public final class Winnow {
  private Winnow() {}

  public static void main(String... args) throws Throwable {
    String problem = Premain.problemWithJava();
    if (problem != null) {
      System.err.println(
          "winnow: "
              + problem
              + " Neither the agent nor its tools run here. Give HBase a newer Java: JAVA_HOME in"
              + " hbase-env.sh.");
      System.exit(1);
    }
    try {
      Class.forName("io.winnow.hbase.tools.Tools")
          .getMethod("main", String[].class)
          .invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      endWithout(e.getCause());
    } catch (NoClassDefFoundError e) {
      endWithout(e);
    }
  }

  private static void endWithout(Throwable e) throws Throwable {
    if (!(e instanceof NoClassDefFoundError)) {
      throw e;
    }
    System.err.println(
        "winnow: the class path lacks "
            + e.getMessage().replace('/', '.')
            + ". The tools need all jars of an HBase server: those that 'hbase --internal-classpath"
            + " classpath' prints.");
    System.exit(1);
  }
}

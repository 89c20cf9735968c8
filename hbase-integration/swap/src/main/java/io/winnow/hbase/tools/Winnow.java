package io.winnow.hbase.tools;

import io.winnow.hbase.agent.Premain;
import java.lang.reflect.InvocationTargetException;

/**
 * Where an operator's JVM enters the tools: {@code hbase io.winnow.hbase.tools.Winnow COMMAND}.
 *
 * <p>As {@link Premain}, this class file is one for Java 8, so that a JVM which is too old can say
 * so: {@code doctor} is asked on such hosts. It may name no other class of ours but by text. Nor
 * does it name one of HBase's, so that it can say that there is no HBase.
 */
public final class Winnow {
  private Winnow() {}

  public static void main(String... args) throws Exception {
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
    } catch (NoClassDefFoundError e) {
      refuse(e);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof NoClassDefFoundError) {
        refuse((NoClassDefFoundError) e.getCause());
      }
      if (e.getCause() instanceof Exception) {
        throw (Exception) e.getCause();
      }
      throw e;
    }
  }

  private static void refuse(NoClassDefFoundError missing) {
    System.err.println(
        "winnow: HBase is not on the class path, or not all of it: "
            + missing.getMessage()
            + " is missing. The tools run on the class path of a host with HBase:"
            + " 'hbase io.winnow.hbase.tools.Winnow COMMAND'.");
    System.exit(1);
  }
}

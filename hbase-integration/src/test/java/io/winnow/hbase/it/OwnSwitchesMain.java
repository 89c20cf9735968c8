package io.winnow.hbase.it;

import java.lang.reflect.Field;

/** Says which of our features are on that weave nothing. */
final class OwnSwitchesMain {
  private OwnSwitchesMain() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
    System.out.println("short-cut: " + is("CacheWatch", "LINKS"));
    System.out.println("scan-metrics: " + is("ScanMetrics", "PRESENT"));
  }

  private static Object is(String name, String field) throws ReflectiveOperationException {
    Field found = Class.forName("io.winnow.hbase." + name).getDeclaredField(field);
    found.setAccessible(true);
    return found.get(null);
  }
}

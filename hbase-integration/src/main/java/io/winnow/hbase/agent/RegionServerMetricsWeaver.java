package io.winnow.hbase.agent;

import org.objectweb.asm.Opcodes;

/**
 * Lets a region server that starts tell Winnow's metrics beside its own, by one statement in front
 * of a constructor.
 *
 * <pre>
 *   MetricsRegionServerWrapperImpl(server) {
 *     ServerHooks.starts(server);
 *     super();
 * </pre>
 *
 * <p>The JVM allows that, the language does not: the statement does not touch the object, nor does
 * the handler around it.
 */
final class RegionServerMetricsWeaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/regionserver/";

  /** The internal name of the class to weave. */
  static final String TARGET = PACKAGE + "MetricsRegionServerWrapperImpl";

  private static final String HOOKS = "io/winnow/hbase/metrics/ServerHooks";
  private static final String DESCRIPTOR = "(L" + PACKAGE + "HRegionServer;)V";

  private static final CallsInFront CALL =
      CallsInFront.of(
          TARGET,
          new CallsInFront.Call(
              false,
              "<init>" + DESCRIPTOR,
              code -> {
                code.visitVarInsn(Opcodes.ALOAD, 1);
                code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "starts", DESCRIPTOR, false);
              }));

  private RegionServerMetricsWeaver() {}

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    return CALL.problemWith(classFile);
  }

  /** The class with the statement; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    return CALL.weave(classFile);
  }
}

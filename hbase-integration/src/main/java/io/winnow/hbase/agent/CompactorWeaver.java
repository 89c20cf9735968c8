package io.winnow.hbase.agent;

import org.objectweb.asm.Opcodes;

/**
 * Lets a compaction tell which files go, by a call in front: the method that makes the new file's
 * writer is not told.
 *
 * <pre>
 *   compact(request, ...) {
 *     StoreHooks.compacts(request);
 *     ...stock...
 * </pre>
 */
final class CompactorWeaver {
  private static final String REGION_SERVER = "org/apache/hadoop/hbase/regionserver/";
  private static final String PACKAGE = REGION_SERVER + "compactions/";

  /** The internal name of the class to weave. */
  static final String TARGET = PACKAGE + "Compactor";

  private static final String REQUEST = "L" + PACKAGE + "CompactionRequestImpl;";

  private static final CallsInFront CALL =
      CallsInFront.of(
          TARGET,
          new CallsInFront.Call(
              false,
              ("compact(" + REQUEST)
                  + ("L" + TARGET + "$InternalScannerFactory;L" + TARGET + "$CellSinkFactory;")
                  + ("L" + REGION_SERVER + "throttle/ThroughputController;")
                  + "Lorg/apache/hadoop/hbase/security/User;)Ljava/util/List;",
              code -> {
                code.visitVarInsn(Opcodes.ALOAD, 1);
                code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    "io/winnow/hbase/StoreHooks",
                    "compacts",
                    "(" + REQUEST + ")V",
                    false);
              }));

  private CompactorWeaver() {}

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    return CALL.problemWith(classFile);
  }

  /** The class with the call; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    return CALL.weave(classFile);
  }
}

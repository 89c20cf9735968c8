package io.winnow.hbase.agent;

import org.objectweb.asm.Opcodes;

/**
 * Lets a store tell what it has before one of its files is written, by a call in front.
 *
 * <pre>
 *   createWriter(params) {
 *     StoreHooks.createsWriter(this, params);
 *     ...stock...
 * </pre>
 */
final class StoreEngineWeaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/regionserver/";

  /** The internal name of the class to weave. */
  static final String TARGET = PACKAGE + "StoreEngine";

  private static final String PARAMS = "L" + PACKAGE + "CreateStoreFileWriterParams;";

  private static final CallsInFront CALL =
      CallsInFront.of(
          TARGET,
          new CallsInFront.Call(
              false,
              "createWriter(" + PARAMS + ")L" + PACKAGE + "StoreFileWriter;",
              code -> {
                code.visitVarInsn(Opcodes.ALOAD, 0);
                code.visitVarInsn(Opcodes.ALOAD, 1);
                code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    "io/winnow/hbase/StoreHooks",
                    "createsWriter",
                    "(L" + TARGET + ";" + PARAMS + ")V",
                    false);
              }));

  private StoreEngineWeaver() {}

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    return CALL.problemWith(classFile);
  }

  /** The class with the call; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    return CALL.weave(classFile);
  }
}

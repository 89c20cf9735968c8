package io.winnow.hbase.agent;

import org.objectweb.asm.Opcodes;

/**
 * Keeps the site's choice of a filter away from system tables, where a store lays its settings over
 * the site's.
 *
 * <pre>
 *   createStoreConfiguration(conf, table, family) {
 *     conf = SystemTables.below(conf, table);
 *     ...stock...
 * </pre>
 */
final class StoreUtilsWeaver {
  /** The internal name of the class to weave. */
  static final String TARGET = "org/apache/hadoop/hbase/regionserver/StoreUtils";

  private static final String CONF = "Lorg/apache/hadoop/conf/Configuration;";
  private static final String TABLE = "Lorg/apache/hadoop/hbase/client/TableDescriptor;";
  private static final String FAMILY = "Lorg/apache/hadoop/hbase/client/ColumnFamilyDescriptor;";

  private static final CallsInFront CALL =
      CallsInFront.of(
          TARGET,
          new CallsInFront.Call(
              true,
              "createStoreConfiguration(" + CONF + TABLE + FAMILY + ")" + CONF,
              code -> {
                code.visitVarInsn(Opcodes.ALOAD, 0);
                code.visitVarInsn(Opcodes.ALOAD, 1);
                code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    "io/winnow/hbase/SystemTables",
                    "below",
                    "(" + CONF + TABLE + ")" + CONF,
                    false);
                code.visitVarInsn(Opcodes.ASTORE, 0);
              }));

  private StoreUtilsWeaver() {}

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    return CALL.problemWith(classFile);
  }

  /** The class with the call; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    return CALL.weave(classFile);
  }
}

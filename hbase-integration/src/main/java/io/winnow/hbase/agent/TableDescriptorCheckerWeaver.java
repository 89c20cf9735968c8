package io.winnow.hbase.agent;

import org.objectweb.asm.Opcodes;

/**
 * Has a master check our settings with its own.
 *
 * <pre>
 *   sanityCheck(conf, descriptor) {
 *     SettingsCheck.check(conf, descriptor);
 *     ...stock...
 * </pre>
 */
final class TableDescriptorCheckerWeaver {
  /** The internal name of the class to weave. */
  static final String TARGET = "org/apache/hadoop/hbase/util/TableDescriptorChecker";

  private static final String ARGUMENTS =
      "(Lorg/apache/hadoop/conf/Configuration;Lorg/apache/hadoop/hbase/client/TableDescriptor;)V";

  private static final CallsInFront CALL =
      CallsInFront.of(
          TARGET,
          new CallsInFront.Call(
              true,
              "sanityCheck" + ARGUMENTS,
              code -> {
                code.visitVarInsn(Opcodes.ALOAD, 0);
                code.visitVarInsn(Opcodes.ALOAD, 1);
                code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    "io/winnow/hbase/SettingsCheck",
                    "check",
                    ARGUMENTS,
                    false);
              }));

  private TableDescriptorCheckerWeaver() {}

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    return CALL.problemWith(classFile);
  }

  /** The class with the call; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    return CALL.weave(classFile);
  }
}

package io.winnow.hbase.agent;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
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
 * <p>The JVM allows that, the language does not: the statement does not touch the object.
 */
final class RegionServerMetricsWeaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/regionserver/";

  /** The internal name of the class to weave. */
  static final String TARGET = PACKAGE + "MetricsRegionServerWrapperImpl";

  private static final String HOOKS = "io/winnow/hbase/metrics/ServerHooks";
  private static final String DESCRIPTOR = "(L" + PACKAGE + "HRegionServer;)V";

  private RegionServerMetricsWeaver() {}

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    boolean[] found = {false};
    try {
      ClassReader reader = new ClassReader(classFile);
      if (!reader.getClassName().equals(TARGET)) {
        return "it calls itself " + reader.getClassName().replace('/', '.');
      }
      reader.accept(
          new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
              found[0] |= isTarget(name, descriptor);
              return null;
            }
          },
          ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    } catch (RuntimeException e) {
      return "it is not a class file of a version known here (" + e + ")";
    }
    return found[0] ? null : "no constructor " + DESCRIPTOR;
  }

  private static boolean isTarget(String name, String descriptor) {
    return name.equals("<init>") && descriptor.equals(DESCRIPTOR);
  }

  /** The class with the statement; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            return !isTarget(name, descriptor)
                ? method
                : new MethodVisitor(Opcodes.ASM9, method) {
                  @Override
                  public void visitCode() {
                    super.visitCode();
                    visitVarInsn(Opcodes.ALOAD, 1);
                    visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "starts", DESCRIPTOR, false);
                  }
                };
          }
        },
        0);
    return writer.toByteArray();
  }
}

package io.winnow.hbase.agent;

import java.util.function.Consumer;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts some code without branches in front of one static method's own. Frames stay valid as they
 * are, and no class of HBase is loaded for weaving.
 *
 * @param target the internal name of the class
 * @param method the method's name and descriptor
 * @param code leaves the stack and the types of the locals alone
 */
record CallInFront(String target, String method, Consumer<MethodVisitor> code) {

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  String problemWith(byte[] classFile) {
    try {
      ClassReader reader = new ClassReader(classFile);
      if (!reader.getClassName().equals(target)) {
        return "it calls itself " + reader.getClassName().replace('/', '.');
      }
      boolean[] found = new boolean[1];
      reader.accept(
          new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
              found[0] |= isIt(access, name, descriptor);
              return null;
            }
          },
          ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
      return found[0] ? null : "it has no static method " + method;
    } catch (RuntimeException e) {
      return "it is not a class file of a version known here (" + e + ")";
    }
  }

  /** The class with the code; {@link #problemWith} must have found nothing. */
  byte[] weave(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor own = super.visitMethod(access, name, descriptor, signature, thrown);
            if (!isIt(access, name, descriptor)) {
              return own;
            }
            return new MethodVisitor(Opcodes.ASM9, own) {
              @Override
              public void visitCode() {
                super.visitCode();
                code.accept(this);
              }
            };
          }
        },
        0);
    return writer.toByteArray();
  }

  private boolean isIt(int access, String name, String descriptor) {
    return (access & Opcodes.ACC_STATIC) != 0 && method.equals(name + descriptor);
  }
}

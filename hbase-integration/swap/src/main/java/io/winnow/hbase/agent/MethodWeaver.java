package io.winnow.hbase.agent;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Function that changes the code of some methods of a class that is woven. */
@FunctionalInterface
interface MethodWeaver {
  /**
   * Returns the visitor through which the code of a method to weave is copied.
   *
   * @param own the visitor that writes the copy
   * @return {@code own} itself if the method stays as it is
   */
  MethodVisitor around(int access, String nameAndDescriptor, MethodVisitor own);

  /**
   * Returns a class file in which some methods are changed. Computes no frame, and loads no class.
   */
  static byte[] weave(byte[] classFile, MethodWeaver weaver) {
    return weave(classFile, null, weaver);
  }

  /**
   * Returns a class file in which some methods are changed, and which has one more field of type
   * {@code Object}. Computes no frame, and loads no class.
   *
   * @param field the name of the field; null for none
   */
  static byte[] weave(byte[] classFile, String field, MethodWeaver weaver) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor own = super.visitMethod(access, name, descriptor, signature, thrown);
            return weaver.around(access, name + descriptor, own);
          }

          @Override
          public void visitEnd() {
            if (field != null) {
              int own = Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC | Opcodes.ACC_TRANSIENT;
              visitField(own, field, "Ljava/lang/Object;", null, null).visitEnd();
            }
            super.visitEnd();
          }
        },
        0);
    return writer.toByteArray();
  }
}

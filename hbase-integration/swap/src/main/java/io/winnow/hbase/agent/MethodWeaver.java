package io.winnow.hbase.agent;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Changes some methods of a class. */
@FunctionalInterface
interface MethodWeaver {
  /**
   * What is to be told of a method while it is copied.
   *
   * @param own writes the copy
   * @return {@code own} itself if the method stays as it is
   */
  MethodVisitor around(int access, String nameAndDescriptor, MethodVisitor own);

  /** The class with its methods changed. No frame is computed, and no class loaded. */
  static byte[] weave(byte[] classFile, MethodWeaver weaver) {
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
        },
        0);
    return writer.toByteArray();
  }
}

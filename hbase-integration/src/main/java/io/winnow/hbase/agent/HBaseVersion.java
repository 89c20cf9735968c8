package io.winnow.hbase.agent;

import java.io.IOException;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The version that HBase was built as, read from a class file: asking HBase starts its logging. */
final class HBaseVersion {
  private static final String HOLDER = "org/apache/hadoop/hbase/Version";

  private HBaseVersion() {}

  /** Such as "2.6.4-hadoop3"; "of an unknown version" if that cannot be told. */
  static String in(ClassFiles hbase) {
    String[] found = {"of an unknown version"};
    try {
      byte[] classFile = hbase.find(HOLDER);
      if (classFile != null) {
        new ClassReader(classFile).accept(new Finder(found), ClassReader.SKIP_DEBUG);
      }
    } catch (IOException | RuntimeException e) { // it is for people: not worth a refusal
    }
    return found[0];
  }

  /** Finds a constant, and {@code version = new String("2.6.4-hadoop3")} in an initialiser. */
  private static final class Finder extends ClassVisitor {
    private final String[] found;

    Finder(String[] found) {
      super(Opcodes.ASM9);
      this.found = found;
    }

    @Override
    public FieldVisitor visitField(int access, String name, String type, String s, Object value) {
      if (name.equals("version") && value instanceof String) {
        found[0] = (String) value;
      }
      return null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String type, String s, String[] t) {
      return new MethodVisitor(Opcodes.ASM9) {
        private String last;

        @Override
        public void visitLdcInsn(Object value) {
          last = value instanceof String ? (String) value : null;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
          if (opcode == Opcodes.PUTSTATIC && field.equals("version") && last != null) {
            found[0] = last;
          }
        }
      };
    }
  }
}

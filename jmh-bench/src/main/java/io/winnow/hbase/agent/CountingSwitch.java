package io.winnow.hbase.agent;

import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Turns the counting of false positives off and on again while the woven scanner runs, so that one
 * compilation of HBase can be compared with itself:
 *
 * <pre>
 *   winnow$asked(...) {              and each other method through which a hook is called
 *     if (!CountingSwitch.isOn) { return null; }
 *     ...
 * </pre>
 */
public final class CountingSwitch {
  private static final String OWNER = Type.getInternalName(CountingSwitch.class);
  private static final Set<String> GUARDS =
      Set.of(
          "winnow$asked", "winnow$ruledOut", "winnow$passing", "winnow$sought", "winnow$stepped");

  /** Read by the woven scanner; each class loader of the benchmark has its own. */
  public static boolean isOn = true;

  private CountingSwitch() {}

  /**
   * @param woven the scanner's class with its hooks
   * @throws IllegalStateException if it has not these hooks: then nothing would be switched
   */
  static byte[] weave(byte[] woven) {
    int[] switched = {0};
    byte[] result =
        MethodWeaver.weave(
            woven,
            (access, method, own) -> {
              if (!GUARDS.contains(method.substring(0, method.indexOf('(')))) {
                return own;
              }
              switched[0]++;
              return new Switched(own, Type.getReturnType(method.substring(method.indexOf('('))));
            });
    if (switched[0] != GUARDS.size()) {
      throw new IllegalStateException(switched[0] + " hooks of " + GUARDS.size());
    }
    return result;
  }

  private static final class Switched extends MethodVisitor {
    private final Type answer;

    Switched(MethodVisitor own, Type answer) {
      super(Opcodes.ASM9, own);
      this.answer = answer;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label on = new Label();
      visitFieldInsn(Opcodes.GETSTATIC, OWNER, "isOn", "Z");
      visitJumpInsn(Opcodes.IFNE, on);
      if (answer != Type.VOID_TYPE) {
        visitInsn(Opcodes.ACONST_NULL);
      }
      visitInsn(answer.getOpcode(Opcodes.IRETURN));
      visitLabel(on);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    }
  }
}

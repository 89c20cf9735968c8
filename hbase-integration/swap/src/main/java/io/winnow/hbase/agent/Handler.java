package io.winnow.hbase.agent;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The handler around the call of a hook which throws nothing but, perhaps, a checked exception that
 * is its answer: {@code catch (RuntimeException | Error e) { HookFailures.skipped(e); ...}}.
 *
 * <p>Its frame is that of a method's beginning: locals are the arguments and nothing else.
 */
final class Handler {
  private static final String THROWABLE = "java/lang/Throwable";

  private final MethodVisitor code;
  private final Label end = new Label();
  private final Label failed = new Label();

  private Handler(MethodVisitor code) {
    this.code = code;
  }

  /** What is written from now on is guarded. */
  static Handler begin(MethodVisitor code) {
    Handler handler = new Handler(code);
    Label start = new Label();
    for (String caught : new String[] {"java/lang/RuntimeException", "java/lang/Error"}) {
      code.visitTryCatchBlock(start, handler.end, handler.failed, caught);
    }
    code.visitLabel(start);
    return handler;
  }

  /** What was guarded ends, with a jump or a return; what is written next comes after a failure. */
  void end() {
    code.visitLabel(end);
    code.visitLabel(failed);
    code.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {THROWABLE});
    code.visitMethodInsn(
        Opcodes.INVOKESTATIC,
        "io/winnow/hbase/agent/HookFailures",
        "skipped",
        "(L" + THROWABLE + ";)V",
        false);
  }
}

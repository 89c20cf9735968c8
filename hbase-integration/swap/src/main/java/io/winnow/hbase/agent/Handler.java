package io.winnow.hbase.agent;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The exception handler around the call of a hook: {@code catch (RuntimeException | Error e) {
 * HookFailures.skipped(e); ...}}. A checked exception of a hook is meant for HBase and passes.
 *
 * <p>The handler's frame is the one at a method's beginning: the locals are the arguments only.
 */
final class Handler {
  private static final String THROWABLE = "java/lang/Throwable";

  private final MethodVisitor code;
  private final Label end = new Label();
  private final Label failed = new Label();

  private Handler(MethodVisitor code) {
    this.code = code;
  }

  /** Begins the code that the exception handler guards. */
  static Handler begin(MethodVisitor code) {
    Handler handler = new Handler(code);
    Label start = new Label();
    for (String caught : new String[] {"java/lang/RuntimeException", "java/lang/Error"}) {
      code.visitTryCatchBlock(start, handler.end, handler.failed, caught);
    }
    code.visitLabel(start);
    return handler;
  }

  /**
   * Ends the code that the exception handler guards, whose last instruction is a jump or a return.
   * The next instructions run after a failure.
   */
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

package io.winnow.hbase.agent;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts calls of hooks in front of methods of one class.
 *
 * <pre>
 *   try { ...the call... } catch (RuntimeException | Error e) { HookFailures.skipped(e); }
 *   ...stock...
 * </pre>
 *
 * <p>The hooks keep what fails in them to themselves, so what is caught is that they cannot be
 * linked. A checked exception is a hook's answer and goes out. Frames are written by hand, and no
 * class of HBase is loaded for weaving.
 */
final class CallsInFront {
  private final String target;
  private final List<Call> calls;

  CallsInFront(String target, List<Call> calls) {
    this.target = target;
    this.calls = calls;
  }

  /** The internal name of the class. */
  String target() {
    return target;
  }

  List<Call> calls() {
    return calls;
  }

  /** One call. */
  static final class Call {
    private final boolean isStatic;
    private final String method;
    private final Consumer<MethodVisitor> code;

    Call(boolean isStatic, String method, Consumer<MethodVisitor> code) {
      this.isStatic = isStatic;
      this.method = method;
      this.code = code;
    }

    /** Whether the method is; a constructor is not. */
    boolean isStatic() {
      return isStatic;
    }

    /** The method's name and descriptor. */
    String method() {
      return method;
    }

    /**
     * The code without branches; leaves the stack and the types of the locals alone, and does not
     * touch the object of a constructor.
     */
    Consumer<MethodVisitor> code() {
      return code;
    }

    private boolean isIn(int access, String nameAndDescriptor) {
      return (access & Opcodes.ACC_STATIC) != 0 == isStatic && method.equals(nameAndDescriptor);
    }

    private String words() {
      return (isStatic ? "static method " : "method ") + method;
    }
  }

  static CallsInFront of(String target, Call... calls) {
    return new CallsInFront(target, List.of(calls));
  }

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  String problemWith(byte[] classFile) {
    return ClassShape.problemWith(
        classFile,
        target,
        shape -> {
          Set<String> missing = new TreeSet<>();
          for (Call call : calls) {
            Integer access = shape.members().get(call.method());
            if (access == null || !call.isIn(access, call.method())) {
              missing.add(call.words());
            }
          }
          return missing.isEmpty() ? null : "it has no " + String.join(", ", missing);
        });
  }

  /** The class with the calls; {@link #problemWith} must have found nothing. */
  byte[] weave(byte[] classFile) {
    return MethodWeaver.weave(
        classFile,
        (access, method, own) ->
            calls.stream()
                .filter(call -> call.isIn(access, method))
                .findAny()
                .<MethodVisitor>map(call -> new Prologue(own, call))
                .orElse(own));
  }

  /** Writes the call before the method's own first instruction. */
  private static final class Prologue extends MethodVisitor {
    private final Call call;

    Prologue(MethodVisitor own, Call call) {
      super(Opcodes.ASM9, own);
      this.call = call;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label stock = new Label();
      Handler handler = Handler.begin(this);
      call.code().accept(this);
      visitJumpInsn(Opcodes.GOTO, stock);
      handler.end();
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }
  }
}

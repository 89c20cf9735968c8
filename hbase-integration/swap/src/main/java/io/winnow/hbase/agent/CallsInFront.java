package io.winnow.hbase.agent;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts calls of hooks in front of methods of one class; {@link WovenClass} lists them.
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
  private final String parent;
  private final List<Call> calls;

  /**
   * @param target the internal name of the class
   * @param parent a class from which this one, if it extends it, has all methods: it stays as it
   *     is; null if there is none
   */
  CallsInFront(String target, String parent, Call... calls) {
    this.target = target;
    this.parent = parent;
    this.calls = List.of(calls);
  }

  /** The internal name of the class. */
  String target() {
    return target;
  }

  /** One call. */
  static final class Call {
    private final boolean isStatic;
    private final List<String> methods;
    private final Consumer<MethodVisitor> code;

    private Call(boolean isStatic, List<String> methods, Consumer<MethodVisitor> code) {
      this.isStatic = isStatic;
      this.methods = methods;
      this.code = code;
    }

    /**
     * In front of a static method.
     *
     * @param method its name and descriptor
     */
    static Call inStatic(String method) {
      return new Call(true, List.of(method), code -> {});
    }

    /**
     * In front of a method, or a constructor, whose object the call must not touch.
     *
     * @param methods names and descriptors that it has in different lines of HBase: the first that
     *     there is
     */
    static Call in(String... methods) {
      return new Call(false, List.of(methods), code -> {});
    }

    /** Calls a hook with these locals, all of them objects. */
    Call to(String owner, String name, String descriptor, int... locals) {
      return then(
          code -> {
            for (int local : locals) {
              code.visitVarInsn(Opcodes.ALOAD, local);
            }
            code.visitMethodInsn(Opcodes.INVOKESTATIC, owner, name, descriptor, false);
          });
    }

    /** Puts into a local what the hook returns: an object of the type that was there. */
    Call into(int local) {
      return then(code -> code.visitVarInsn(Opcodes.ASTORE, local));
    }

    /** More code, without branches, that leaves the types of the locals alone. */
    Call then(Consumer<MethodVisitor> more) {
      return new Call(isStatic, methods, code.andThen(more));
    }

    /** Null if there is none. */
    private String methodIn(ClassShape shape) {
      for (String method : methods) {
        Integer access = shape.members().get(method);
        if (access != null && (access & Opcodes.ACC_STATIC) != 0 == isStatic) {
          return method;
        }
      }
      return null;
    }

    private String words() {
      return (isStatic ? "static method " : "method ") + String.join(" or ", methods);
    }
  }

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  String problemWith(byte[] classFile) {
    return ClassShape.problemWith(
        classFile,
        target,
        shape -> {
          Set<String> missing = new TreeSet<>();
          for (Call call : calls) {
            if (call.methodIn(shape) == null) {
              missing.add(call.words());
            }
          }
          return missing.isEmpty() || inheritsAll(shape)
              ? null
              : "it has no " + String.join(", ", missing);
        });
  }

  private boolean inheritsAll(ClassShape shape) {
    return parent != null && shape.supertypes().contains(parent);
  }

  /**
   * The class with the calls, or null if it is to stay as it is; {@link #problemWith} must have
   * found nothing.
   */
  byte[] weave(byte[] classFile) {
    ClassShape shape = new ClassShape(classFile);
    if (inheritsAll(shape)) {
      return null;
    }
    Map<String, Call> byMethod = new HashMap<>();
    calls.forEach(call -> byMethod.put(call.methodIn(shape), call));
    return MethodWeaver.weave(
        classFile,
        (access, method, own) ->
            byMethod.containsKey(method) ? new Prologue(own, byMethod.get(method)) : own);
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
      call.code.accept(this);
      visitJumpInsn(Opcodes.GOTO, stock);
      handler.end();
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }
  }
}

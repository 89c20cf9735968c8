package io.winnow.hbase.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaver that puts calls of hooks in front of methods of one HBase class. {@link WovenClass} lists
 * these methods.
 *
 * <pre>
 *   try { ...the call... } catch (RuntimeException | Error e) { HookFailures.skipped(e); }
 *   ...stock...
 * </pre>
 *
 * <p>The hooks catch their own failures, so the handler catches the failure to link a hook. A
 * checked exception of a hook goes out to HBase's caller. Frames are written by hand, and no class
 * of HBase is loaded for weaving.
 */
final class CallsInFront extends Weaver {
  private final String parent;
  private final List<Call> calls;

  /**
   * Creates a weaver that puts calls of hooks in front of methods of one class.
   *
   * @param target the internal name of the class
   * @param parent a class that has all the methods: a target that extends it is not woven; null if
   *     there is none
   */
  CallsInFront(String target, String parent, Call... calls) {
    super(target);
    this.parent = parent;
    this.calls = List.of(calls);
  }

  /** A call of a hook in front of a method, and the code that passes its arguments. */
  static final class Call {
    private final boolean isStatic;
    private final List<String> methods;
    private final List<Instruction> code;

    private Call(boolean isStatic, List<String> methods, List<Instruction> code) {
      this.isStatic = isStatic;
      this.methods = methods;
      this.code = code;
    }

    /**
     * Begins the description of a hook's call in front of a static method.
     *
     * @param method its name and descriptor
     */
    static Call inStatic(String method) {
      return new Call(true, List.of(method), List.of());
    }

    /**
     * Begins the description of a hook's call in front of a method, or of a constructor, whose
     * object the call must not touch.
     *
     * @param methods names and descriptors of the method in different lines of HBase; the first one
     *     that the class has is woven
     */
    static Call in(String... methods) {
      return new Call(false, List.of(methods), List.of());
    }

    /** Adds the call of a hook, with objects in local variables as its arguments. */
    Call to(String owner, String name, String descriptor, int... locals) {
      Call call = this;
      for (int local : locals) {
        call = call.then(new Instruction(Opcodes.ALOAD, local));
      }
      return call.then(new Instruction(Opcodes.INVOKESTATIC, owner, name, descriptor));
    }

    /** Adds code that puts the hook's result into a local variable of the woven method. */
    Call into(int local) {
      return then(new Instruction(Opcodes.ASTORE, local));
    }

    /**
     * Adds an argument for the hook: the result of a method that is called on an object in a local
     * variable.
     */
    Call with(int local, String owner, String name, String descriptor) {
      return then(new Instruction(Opcodes.ALOAD, local))
          .then(new Instruction(Opcodes.INVOKEVIRTUAL, owner, name, descriptor));
    }

    private Call then(Instruction more) {
      List<Instruction> longer = new ArrayList<>(code);
      longer.add(more);
      return new Call(isStatic, methods, longer);
    }

    /**
     * Returns the method of a class in front of which the hook is called; null if the class has
     * none.
     */
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

  /** An instruction of woven code that loads or stores a local variable, or that calls a method. */
  private static final class Instruction {
    private final int opcode;
    private final int local;
    private final String owner;
    private final String name;
    private final String descriptor;

    Instruction(int opcode, int local) {
      this.opcode = opcode;
      this.local = local;
      this.owner = null;
      this.name = null;
      this.descriptor = null;
    }

    Instruction(int opcode, String owner, String name, String descriptor) {
      this.opcode = opcode;
      this.local = 0;
      this.owner = owner;
      this.name = name;
      this.descriptor = descriptor;
    }

    void writeTo(MethodVisitor method) {
      if (owner == null) {
        method.visitVarInsn(opcode, local);
      } else {
        method.visitMethodInsn(opcode, owner, name, descriptor, false);
      }
    }
  }

  @Override
  String problemIn(ClassShape shape) {
    Set<String> missing = new TreeSet<>();
    for (Call call : calls) {
      if (call.methodIn(shape) == null) {
        missing.add(call.words());
      }
    }
    return missing.isEmpty() || inheritsAll(shape)
        ? null
        : "it has no " + String.join(", ", missing);
  }

  private boolean inheritsAll(ClassShape shape) {
    return parent != null && shape.supertypes.contains(parent);
  }

  @Override
  byte[] weave(byte[] classFile) {
    ClassShape shape = new ClassShape(classFile);
    if (inheritsAll(shape)) {
      return null;
    }
    Map<String, Call> byMethod = new HashMap<>();
    for (Call call : calls) {
      byMethod.put(call.methodIn(shape), call);
    }
    return MethodWeaver.weave(
        classFile,
        (access, method, own) ->
            byMethod.containsKey(method) ? new Prologue(own, byMethod.get(method)) : own);
  }

  /** Visitor that writes the call of a hook before the first instruction of a woven method. */
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
      for (Instruction instruction : call.code) {
        instruction.writeTo(this);
      }
      visitJumpInsn(Opcodes.GOTO, stock);
      handler.end();
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }
  }
}

package io.winnow.hbase.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

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
  private static final String OBJECT = "Ljava/lang/Object;";

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
    private final List<Consumer<MethodVisitor>> code = new ArrayList<>();

    /** The descriptors of the fields that the code reads, by their names. */
    private final Map<String, String> fields = new TreeMap<>();

    /** The name of a field that the class gets; null if it gets none. */
    private String added;

    private boolean mayEndTheMethod;

    private Call(boolean isStatic, List<String> methods) {
      this.isStatic = isStatic;
      this.methods = methods;
    }

    /**
     * Begins the description of a hook's call in front of a static method.
     *
     * @param method its name and descriptor
     */
    static Call inStatic(String method) {
      return new Call(true, List.of(method));
    }

    /**
     * Begins the description of a hook's call in front of a method, or of a constructor, whose
     * object the call must not touch.
     *
     * @param methods names and descriptors of the method in different lines of HBase; the first one
     *     that the class has is woven
     */
    static Call in(String... methods) {
      return new Call(false, List.of(methods));
    }

    /** Adds the call of a hook, with objects in local variables as its arguments. */
    Call to(String owner, String name, String descriptor, int... locals) {
      for (int local : locals) {
        with(local);
      }
      return then(
          method -> method.visitMethodInsn(Opcodes.INVOKESTATIC, owner, name, descriptor, false));
    }

    /** Adds code that puts the hook's result into a local variable of the woven method. */
    Call into(int local) {
      return then(method -> method.visitVarInsn(Opcodes.ASTORE, local));
    }

    /** Adds code that returns false if the hook returns false. */
    Call orReturnFalse() {
      mayEndTheMethod = true;
      return this;
    }

    /** Adds an argument for the hook: a local. */
    Call with(int local) {
      return then(method -> method.visitVarInsn(Opcodes.ALOAD, local));
    }

    /**
     * Adds an argument for the hook: the result of a method that is called on an object in a local
     * variable.
     */
    Call with(int local, String owner, String name, String descriptor) {
      return with(local)
          .then(
              method ->
                  method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, owner, name, descriptor, false));
    }

    /** Adds an argument for the hook: a field of the method's object. */
    Call withField(String owner, String name, String descriptor) {
      fields.put(name, descriptor);
      return with(0)
          .then(method -> method.visitFieldInsn(Opcodes.GETFIELD, owner, name, descriptor));
    }

    /** Adds an argument for the hook: the field that {@link #opening} adds to the class. */
    Call withAdded(String owner) {
      String field = added;
      return with(0).then(method -> method.visitFieldInsn(Opcodes.GETFIELD, owner, field, OBJECT));
    }

    /**
     * Adds a field to the class, and code that sets it to the result of a hook while it is null.
     * The hook gets the method's object. A field cannot be added to a class that is loaded already,
     * so such a class is woven when it is loaded, or not at all.
     *
     * @param owner the internal name of the class that is woven
     */
    Call opening(String owner, String field, String hooks, String hook) {
      added = field;
      return withAdded(owner)
          .then(
              method -> {
                Label opened = new Label();
                method.visitJumpInsn(Opcodes.IFNONNULL, opened);
                method.visitVarInsn(Opcodes.ALOAD, 0);
                method.visitVarInsn(Opcodes.ALOAD, 0);
                String descriptor = "(L" + owner + ";)" + OBJECT;
                method.visitMethodInsn(Opcodes.INVOKESTATIC, hooks, hook, descriptor, false);
                method.visitFieldInsn(Opcodes.PUTFIELD, owner, field, OBJECT);
                method.visitLabel(opened);
                method.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
              });
    }

    private Call then(Consumer<MethodVisitor> more) {
      code.add(more);
      return this;
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

    /** Adds what a class lacks for the call, in words. */
    private void addMissing(ClassShape shape, Set<String> missing) {
      if (methodIn(shape) == null) {
        missing.add((isStatic ? "static method " : "method ") + String.join(" or ", methods));
      }
      fields.forEach(
          (name, descriptor) -> {
            Integer access = shape.members().get(name + descriptor);
            if (access == null || (access & Opcodes.ACC_STATIC) != 0) {
              String type = JavaNames.simple(Type.getType(descriptor));
              missing.add("field " + name + " of type " + type);
            }
          });
    }
  }

  @Override
  String problemIn(ClassShape shape) {
    Set<String> missing = new TreeSet<>();
    for (Call call : calls) {
      call.addMissing(shape, missing);
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
        calls.stream().map(call -> call.added).filter(Objects::nonNull).findFirst().orElse(null),
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
      call.code.forEach(instruction -> instruction.accept(this));
      if (call.mayEndTheMethod) {
        visitJumpInsn(Opcodes.IFNE, stock);
        visitInsn(Opcodes.ICONST_0);
        visitInsn(Opcodes.IRETURN);
      } else {
        visitJumpInsn(Opcodes.GOTO, stock);
      }
      handler.end();
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }
  }
}

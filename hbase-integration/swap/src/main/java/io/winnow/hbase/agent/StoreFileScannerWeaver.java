package io.winnow.hbase.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Weaver of HBase's scanner of a store file: adds calls that count the right and the false answers
 * of the file's filter.
 *
 * <pre>
 *   private transient Object winnow$answer;
 *
 *   shouldUseScanner(scan, store, oldest) {
 *     ... reader.passesBloomFilter(...)       then, with its result:
 *         winnow$answer = winnow$answered(result, scan, store, reader);
 *   requestSeek(key, forward, useBloom) {
 *     ... createLastOnRowCol(key)             then, since the filter has just ruled the key out:
 *         winnow$ruledOut(winnow$answer, key);
 *   seek(key) {                               and reseek(key), reseekAtOrAfter likewise
 *     ... seekAtOrAfter(hfs, key)             becomes:
 *         winnow$seekAtOrAfter(hfs, key, winnow$answer)
 *     ... setCurrentCell(...), this.cur = ... then:
 *         winnow$answer = winnow$sought(winnow$answer, key, cur);
 *   next() {                                  and skipKVsNewerThanReadpoint() likewise
 *     ... setCurrentCell(...)                 then:
 *         winnow$answer = winnow$stepped(winnow$answer, cur);
 *   seekToPreviousRow(key) {
 *     ... return                              before it:
 *         winnow$answer = winnow$cameBack(winnow$answer, cur);
 *   winnow$seekAtOrAfter(hfs, key, answer) {   a copy of HBase's own code, but
 *     ... hfs.next()                          before it:
 *         winnow$passing(answer, hfs, key);
 *   winnow$answered(result, scan, store, reader) {   and so on for each hook
 *     try { return AnswerHooks.answered(result, scan, store, reader); }
 *     catch (RuntimeException | Error e) { HookFailures.skipped(e); return null; }
 * </pre>
 *
 * <p>HBase's own code gets no branch, so all frames stay valid. The copies have one more argument,
 * and their locals and frames make room for it; HBase's own methods stay as they are, because
 * others call them too. A field cannot be added to a class that is loaded already, so this one is
 * woven when it is loaded, or not at all.
 */
final class StoreFileScannerWeaver extends Weaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/regionserver/";

  /** Internal name of HBase's class that scans a store file, which is woven. */
  static final String TARGET = PACKAGE + "StoreFileScanner";

  /**
   * Name of the field for a filter's answer that weaving adds to HBase's scanner of a store file.
   */
  static final String FIELD = "winnow$answer";

  /** Prefix of the names of the methods through which the woven scanner calls hooks. */
  private static final String GUARD = "winnow$";

  private static final int OWN = Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC;

  private static final String HOOKS = "io/winnow/hbase/hooks/AnswerHooks";
  private static final String OBJECT = "Ljava/lang/Object;";
  private static final String CELL = "Lorg/apache/hadoop/hbase/Cell;";
  private static final String EXTENDED_CELL = "Lorg/apache/hadoop/hbase/ExtendedCell;";
  private static final String SCAN = "Lorg/apache/hadoop/hbase/client/Scan;";
  private static final String STORE = "L" + PACKAGE + "HStore;";
  private static final String READER = "L" + PACKAGE + "StoreFileReader;";
  private static final String FILE_SCANNER = "org/apache/hadoop/hbase/io/hfile/HFileScanner";

  /** Hooks that the woven scanner calls, each through a method that catches the hook's failure. */
  private static final Map<String, String> GUARDED =
      Map.of(
          "answered", "(Z" + SCAN + STORE + READER + ")" + OBJECT,
          "ruledOut", "(" + OBJECT + CELL + ")V",
          "passing", "(" + OBJECT + "L" + FILE_SCANNER + ";" + CELL + ")V",
          "sought", "(" + OBJECT + CELL + CELL + ")" + OBJECT,
          "stepped", "(" + OBJECT + CELL + ")" + OBJECT,
          "cameBack", "(" + OBJECT + CELL + ")" + OBJECT);

  private static final String SHOULD_USE = "shouldUseScanner(" + SCAN + STORE + "J)Z";

  /**
   * Names of the copies that weaving makes of two methods of HBase's scanner, by the names of the
   * methods.
   */
  private static final Map<String, String> COPIES =
      Map.of("seekAtOrAfter", "winnow$seekAtOrAfter", "reseekAtOrAfter", "winnow$reseekAtOrAfter");

  StoreFileScannerWeaver() {
    super(TARGET);
  }

  @Override
  String problemIn(ClassShape shape) {
    return Uses.of(shape).problem();
  }

  /** Fields and calls of HBase's class {@code StoreFileScanner} on which weaving relies. */
  private static final class Uses extends ClassVisitor {
    private final Map<String, String> fields = new HashMap<>();
    private final Map<String, Map<String, Integer>> calls = new HashMap<>();

    private Uses() {
      super(Opcodes.ASM9);
    }

    static Uses of(ClassShape shape) {
      Uses uses = new Uses();
      shape.show(uses);
      return uses;
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String descriptor, String signature, Object value) {
      fields.put(name, descriptor);
      return null;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] thrown) {
      boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
      Map<String, Integer> called = new HashMap<>();
      calls.put((isStatic ? "static " : "") + name + descriptor, called);
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String callee, String type, boolean isInterface) {
          count(callee);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String type) {
          if (opcode == Opcodes.PUTFIELD) {
            count("this." + field);
          }
        }

        private void count(String use) {
          called.put(use, called.getOrDefault(use, 0) + 1);
        }
      };
    }

    String problem() {
      String cell = fields.get("cur");
      if (!CELL.equals(cell) && !EXTENDED_CELL.equals(cell)) {
        return "its field cur is of type " + cell;
      }
      if (!READER.equals(fields.get("reader"))) {
        return "its field reader is of type " + fields.get("reader");
      }
      if (fields.containsKey(FIELD)) {
        return "it is woven already";
      }
      List<String> problems = new ArrayList<>();
      expect(problems, SHOULD_USE, "passesBloomFilter");
      expect(problems, "requestSeek(" + cell + "ZZ)Z", "createLastOnRowCol");
      expect(problems, "seek(" + cell + ")Z", "seekAtOrAfter", "setCurrentCell", "this.cur");
      expect(problems, "reseek(" + cell + ")Z", "reseekAtOrAfter", "setCurrentCell", "this.cur");
      expect(problems, "next()" + cell, "setCurrentCell");
      expect(problems, "skipKVsNewerThanReadpoint()Z", "setCurrentCell");
      expect(problems, "seekToPreviousRow(" + cell + ")Z");
      for (String original : COPIES.keySet()) {
        expect(problems, "static " + original + "(L" + FILE_SCANNER + ";" + cell + ")Z", "next");
      }
      return problems.isEmpty() ? null : String.join("; ", problems);
    }

    private void expect(List<String> problems, String method, String... callees) {
      Map<String, Integer> called = calls.get(method);
      if (called == null) {
        problems.add("no method " + method);
        return;
      }
      for (String callee : callees) {
        int times = called.getOrDefault(callee, 0);
        if (times != 1) {
          problems.add(method + " has " + callee + " " + times + " times, and not once");
        }
      }
    }
  }

  /** Returns the class file of HBase's scanner with the calls of hooks added. */
  @Override
  byte[] weave(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    String cell = Uses.of(new ClassShape(classFile)).fields.get("cur");
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            if ((name + descriptor).equals(SHOULD_USE)) {
              return new AfterCall(method, "passesBloomFilter", StoreFileScannerWeaver::answered);
            }
            switch (name) {
              case "seek":
              case "reseek":
                return new Seeking(method, cell);
              case "next":
              case "skipKVsNewerThanReadpoint":
                return new AfterCall(
                    method, "setCurrentCell", code -> code.follow("stepped", cell));
              case "requestSeek":
                return new AfterCall(
                    method, "createLastOnRowCol", StoreFileScannerWeaver::ruledOut);
              case "seekToPreviousRow":
                return new GoingBack(method, cell);
              default:
                return method;
            }
          }

          @Override
          public void visitEnd() {
            visitField(OWN | Opcodes.ACC_TRANSIENT, FIELD, OBJECT, null, null).visitEnd();
            for (Map.Entry<String, String> hook : GUARDED.entrySet()) {
              guard(cv, hook.getKey(), hook.getValue());
            }
            super.visitEnd();
          }
        },
        0);
    reader.accept(new Copies(writer), ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  /**
   * Writes the method through which the woven scanner calls a hook and which catches the hook's
   * failure.
   */
  private static void guard(ClassVisitor target, String hook, String descriptor) {
    Type type = Type.getMethodType(descriptor);
    boolean returns = type.getReturnType() != Type.VOID_TYPE;
    MethodVisitor code =
        target.visitMethod(OWN | Opcodes.ACC_STATIC, GUARD + hook, descriptor, null, null);
    code.visitCode();
    Handler handler = Handler.begin(code);
    int local = 0;
    for (Type argument : type.getArgumentTypes()) {
      code.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
      local += argument.getSize();
    }
    code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, descriptor, false);
    code.visitInsn(returns ? Opcodes.ARETURN : Opcodes.RETURN);
    handler.end();
    if (returns) {
      code.visitInsn(Opcodes.ACONST_NULL);
    }
    code.visitInsn(returns ? Opcodes.ARETURN : Opcodes.RETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** Visitor that adds calls of hooks to a method, none of which leaves anything on the stack. */
  private abstract static class Hooking extends MethodVisitor {
    Hooking(MethodVisitor method) {
      super(Opcodes.ASM9, method);
    }

    final void pushField(String field, String descriptor) {
      visitVarInsn(Opcodes.ALOAD, 0);
      super.visitFieldInsn(Opcodes.GETFIELD, TARGET, field, descriptor);
    }

    final void hook(String name) {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, TARGET, GUARD + name, GUARDED.get(name), false);
    }

    /** Adds code that puts the result of a hook into the field with the filter's answer. */
    final void keep() {
      visitVarInsn(Opcodes.ALOAD, 0);
      super.visitInsn(Opcodes.SWAP);
      super.visitFieldInsn(Opcodes.PUTFIELD, TARGET, FIELD, OBJECT);
    }

    /** Calls a hook with the answer and the scanner's cell, and keeps the result. */
    final void follow(String hook, String cell) {
      pushField(FIELD, OBJECT);
      pushField("cur", cell);
      hook(hook);
      keep();
    }
  }

  /** Visitor that adds code to a method after each call of the method with the given name. */
  private static final class AfterCall extends Hooking {
    private final String callee;
    private final Consumer<Hooking> code;

    AfterCall(MethodVisitor method, String callee, Consumer<Hooking> code) {
      super(method);
      this.callee = callee;
      this.code = code;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (name.equals(callee)) {
        code.accept(this);
      }
    }
  }

  /** Adds a hook to {@code shouldUseScanner}, which receives the filter's answer. */
  private static void answered(Hooking code) {
    code.visitInsn(Opcodes.DUP);
    code.visitVarInsn(Opcodes.ALOAD, 1);
    code.visitVarInsn(Opcodes.ALOAD, 2);
    code.pushField("reader", READER);
    code.hook("answered");
    code.keep();
  }

  /** Adds a hook to {@code requestSeek}, which is called where a filter has ruled out a column. */
  private static void ruledOut(Hooking code) {
    code.pushField(FIELD, OBJECT);
    code.visitVarInsn(Opcodes.ALOAD, 1);
    code.hook("ruledOut");
  }

  /**
   * Visitor that adds hooks to {@code seek} and {@code reseek} and makes both call copies of the
   * methods that they use.
   */
  private static final class Seeking extends Hooking {
    private final String cell;

    Seeking(MethodVisitor method, String cell) {
      super(method);
      this.cell = cell;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      String copy = COPIES.get(name);
      if (copy != null) {
        pushField(FIELD, OBJECT);
        super.visitMethodInsn(opcode, owner, copy, withAnswer(descriptor), isInterface);
        return;
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      if (name.equals("setCurrentCell")) {
        sought();
      }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
      super.visitFieldInsn(opcode, owner, name, descriptor);
      if (opcode == Opcodes.PUTFIELD && name.equals("cur")) {
        sought();
      }
    }

    private void sought() {
      pushField(FIELD, OBJECT);
      visitVarInsn(Opcodes.ALOAD, 1);
      pushField("cur", cell);
      hook("sought");
      keep();
    }
  }

  /** Visitor that adds a hook to {@code seekToPreviousRow}, which a reversed scan calls. */
  private static final class GoingBack extends Hooking {
    private final String cell;

    GoingBack(MethodVisitor method, String cell) {
      super(method);
      this.cell = cell;
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.IRETURN) {
        follow("cameBack", cell);
      }
      super.visitInsn(opcode);
    }
  }

  /** Returns the descriptor of a method with one more argument, for the filter's answer. */
  private static String withAnswer(String descriptor) {
    return descriptor.replace(")", OBJECT + ")");
  }

  /**
   * Visitor that writes copies of two static methods, which take the filter's answer as a third
   * argument.
   */
  private static final class Copies extends ClassVisitor {
    private final ClassWriter writer;

    Copies(ClassWriter writer) {
      super(Opcodes.ASM9);
      this.writer = writer;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] thrown) {
      String copy = COPIES.get(name);
      if (copy == null || (access & Opcodes.ACC_STATIC) == 0) {
        return null;
      }
      return new Copy(
          writer.visitMethod(OWN | Opcodes.ACC_STATIC, copy, withAnswer(descriptor), null, thrown));
    }
  }

  /**
   * Visitor that writes a copy of a method: its local variables after the two arguments move up by
   * one.
   */
  private static final class Copy extends Hooking {
    private static final int ANSWER = 2;

    Copy(MethodVisitor method) {
      super(method);
    }

    @Override
    public void visitVarInsn(int opcode, int local) {
      super.visitVarInsn(opcode, moved(local));
    }

    @Override
    public void visitIincInsn(int local, int increment) {
      super.visitIincInsn(moved(local), increment);
    }

    @Override
    public void visitLocalVariable(
        String name, String descriptor, String signature, Label start, Label end, int local) {
      super.visitLocalVariable(name, descriptor, signature, start, end, moved(local));
    }

    private static int moved(int local) {
      return local < ANSWER ? local : local + 1;
    }

    @Override
    public void visitFrame(int type, int locals, Object[] local, int stacks, Object[] stack) {
      List<Object> room = new ArrayList<>(Arrays.asList(local).subList(0, locals));
      room.add(ANSWER, "java/lang/Object");
      super.visitFrame(type, room.size(), room.toArray(), stacks, stack);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (name.equals("next")) {
        mv.visitVarInsn(Opcodes.ALOAD, ANSWER);
        mv.visitVarInsn(Opcodes.ALOAD, 0);
        mv.visitVarInsn(Opcodes.ALOAD, 1);
        hook("passing");
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }
  }
}

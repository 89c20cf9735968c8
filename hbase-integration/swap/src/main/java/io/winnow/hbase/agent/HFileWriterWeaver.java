package io.winnow.hbase.agent;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaver that adds calls of hooks to HBase's writer of an HFile, by which a file gets the segments
 * of its rows. Each cell of each file comes by here: of flushes, compactions, bulk loads and tools,
 * whatever filter the file has.
 *
 * <pre>
 *   private transient Object winnow$segment;
 *
 *   HFileWriterImpl(conf, cacheConf, path, out, context) {
 *     winnow$segment = SegmentHooks.collector(conf, path, context);
 *     ...stock...
 *   append(cell) {
 *     SegmentHooks.append(winnow$segment, cell);         if this call fails: winnow$segment = null;
 *     ...stock...
 *   finishFileInfo() {
 *     SegmentHooks.finish(winnow$segment, this);
 *     ...stock...
 * </pre>
 *
 * <p>Each call stands in a {@link Handler}. In the constructor it stands before the call of {@code
 * super()}: the JVM lets a class set a field of its own there, the language does not. A field
 * cannot be added to a class that is loaded already, so this one is woven when it is loaded, or not
 * at all.
 */
final class HFileWriterWeaver extends Weaver {
  private static final String HBASE = "org/apache/hadoop/hbase/";

  /** Internal name of HBase's class that writes an HFile, which is woven. */
  static final String TARGET = HBASE + "io/hfile/HFileWriterImpl";

  private static final String HOOKS = "io/winnow/hbase/hooks/SegmentHooks";
  private static final String FIELD = "winnow$segment";
  private static final String OBJECT = "Ljava/lang/Object;";
  private static final String CONF = "Lorg/apache/hadoop/conf/Configuration;";
  private static final String PATH = "Lorg/apache/hadoop/fs/Path;";
  private static final String CONTEXT = "L" + HBASE + "io/hfile/HFileContext;";
  private static final String CELL = "L" + HBASE + "Cell;";
  private static final String INIT =
      ("<init>(" + CONF + "L" + HBASE + "io/hfile/CacheConfig;" + PATH)
          + ("Lorg/apache/hadoop/fs/FSDataOutputStream;" + CONTEXT + ")V");

  private static final String APPEND = "append(" + CELL + ")V";

  /** Name and descriptor of the method {@code append} in HBase 3. */
  private static final String APPEND_OF_3 = "append(L" + HBASE + "ExtendedCell;)V";

  private static final String FINISH = "finishFileInfo()V";

  HFileWriterWeaver() {
    super(TARGET);
  }

  @Override
  String problemIn(ClassShape shape) {
    List<String> missing = new ArrayList<>();
    for (String method : List.of(INIT, appendIn(shape), FINISH)) {
      Integer access = shape.members().get(method);
      if (access == null || (access & Opcodes.ACC_STATIC) != 0) {
        missing.add(method);
      }
    }
    return missing.isEmpty() ? null : "it has no method " + String.join(", ", missing);
  }

  private static String appendIn(ClassShape shape) {
    return shape.members().containsKey(APPEND_OF_3) ? APPEND_OF_3 : APPEND;
  }

  @Override
  byte[] weave(byte[] classFile) {
    String append = appendIn(new ClassShape(classFile));
    return MethodWeaver.weave(
        classFile,
        FIELD,
        (access, method, own) ->
            method.equals(INIT) || method.equals(append) || method.equals(FINISH)
                ? new Prologue(own, method)
                : own);
  }

  /** Visitor that writes the call of a hook before the first instruction of a woven method. */
  private static final class Prologue extends MethodVisitor {
    private final String woven;

    Prologue(MethodVisitor own, String woven) {
      super(Opcodes.ASM9, own);
      this.woven = woven;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label stock = new Label();
      Handler handler = Handler.begin(this);
      visitVarInsn(Opcodes.ALOAD, 0);
      if (woven.equals(INIT)) {
        visitVarInsn(Opcodes.ALOAD, 1);
        visitVarInsn(Opcodes.ALOAD, 3);
        visitVarInsn(Opcodes.ALOAD, 5);
        hook("collector", "(" + CONF + PATH + CONTEXT + ")" + OBJECT);
        visitFieldInsn(Opcodes.PUTFIELD, TARGET, FIELD, OBJECT);
      } else {
        visitFieldInsn(Opcodes.GETFIELD, TARGET, FIELD, OBJECT);
        boolean isEnd = woven.equals(FINISH);
        visitVarInsn(Opcodes.ALOAD, isEnd ? 0 : 1);
        hook(
            isEnd ? "finish" : "append",
            "(" + OBJECT + (isEnd ? "L" + HBASE + "io/hfile/HFile$Writer;" : CELL) + ")V");
      }
      visitJumpInsn(Opcodes.GOTO, stock);
      handler.end();
      if (!woven.equals(INIT)) { // a row is missing, or the segments cannot be written
        visitVarInsn(Opcodes.ALOAD, 0);
        visitInsn(Opcodes.ACONST_NULL);
        visitFieldInsn(Opcodes.PUTFIELD, TARGET, FIELD, OBJECT);
      }
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }

    private void hook(String name, String descriptor) {
      visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, name, descriptor, false);
    }
  }
}

package io.winnow.hbase.agent;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaver of HBase's reader of a store file: adds a call by which a scan skips the file if a filter
 * rules out all rows between the scan's bounds.
 *
 * <pre>
 *   passesBloomFilter(scan, columns) {
 *     try {
 *       if (!ScanHooks.mayHaveRows(this, generalBloomFilter, scan)) return false;
 *     } catch (RuntimeException | Error e) { HookFailures.skipped(e); }
 *     ...stock...
 * </pre>
 *
 * <p>The filter is a field that HBase sets to null if a block of the filter cannot be read, so the
 * field is read once. HBase before 2.6.4 has no public accessor of it.
 */
final class StoreFileReaderWeaver extends Weaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/regionserver/";

  /** Internal name of HBase's class that reads a store file, which is woven. */
  static final String TARGET = PACKAGE + "StoreFileReader";

  private static final String FIELD = "generalBloomFilter";
  private static final String FILTER = "Lorg/apache/hadoop/hbase/util/BloomFilter;";
  private static final String SCAN = "Lorg/apache/hadoop/hbase/client/Scan;";
  private static final String METHOD = "passesBloomFilter(" + SCAN + "Ljava/util/SortedSet;)Z";

  StoreFileReaderWeaver() {
    super(TARGET);
  }

  @Override
  String problemIn(ClassShape shape) {
    Integer access = shape.members().get(METHOD);
    if (access == null || (access & Opcodes.ACC_STATIC) != 0) {
      return "it has no method " + METHOD;
    }
    access = shape.members().get(FIELD + FILTER);
    return access == null || (access & Opcodes.ACC_STATIC) != 0
        ? "it has no field " + FIELD + " of type BloomFilter"
        : null;
  }

  @Override
  byte[] weave(byte[] classFile) {
    return MethodWeaver.weave(
        classFile, (access, method, own) -> method.equals(METHOD) ? new Prologue(own) : own);
  }

  /** Visitor that writes the call of a hook before the first instruction of a woven method. */
  private static final class Prologue extends MethodVisitor {
    Prologue(MethodVisitor own) {
      super(Opcodes.ASM9, own);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label stock = new Label();
      Handler handler = Handler.begin(this);
      visitVarInsn(Opcodes.ALOAD, 0);
      visitVarInsn(Opcodes.ALOAD, 0);
      visitFieldInsn(Opcodes.GETFIELD, TARGET, FIELD, FILTER);
      visitVarInsn(Opcodes.ALOAD, 1);
      visitMethodInsn(
          Opcodes.INVOKESTATIC,
          "io/winnow/hbase/hooks/ScanHooks",
          "mayHaveRows",
          "(L" + TARGET + ";" + FILTER + SCAN + ")Z",
          false);
      visitJumpInsn(Opcodes.IFNE, stock);
      visitInsn(Opcodes.ICONST_0);
      visitInsn(Opcodes.IRETURN);
      handler.end();
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }
  }
}

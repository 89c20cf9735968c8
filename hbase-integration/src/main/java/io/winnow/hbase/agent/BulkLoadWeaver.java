package io.winnow.hbase.agent;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Lets the tools of bulk load know what filter a family asks for, by one statement in front of four
 * methods of theirs.
 *
 * <pre>
 *   LoadIncrementalHFiles.copyHFileHalf(conf, inFile, outFile, reference, family) {        HBase 2
 *   BulkLoadHFilesTool.copyHFileHalf(conf, inFile, outFile, reference, family, locator) {  HBase 3
 *     conf = BulkLoadHooks.ofFamily(conf, family);
 *   HFileOutputFormat2.configureIncrementalLoad(job, tables, format) {
 *     BulkLoadHooks.remember(job.getConfiguration(), tables);
 *   HFileOutputFormat2.configureIncrementalLoadMap(job, table) {
 *     BulkLoadHooks.remember(job.getConfiguration(), table);
 *   HFileOutputFormat2$1.getNewWriter(table, family, conf, favoredNodes) {   the record writer
 *     conf = BulkLoadHooks.ofFamily(conf, table, family);
 * </pre>
 *
 * <p>These are tools: their classes are often absent, and what they write is served whatever its
 * filter.
 */
final class BulkLoadWeaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/";

  /** The internal names of the classes to weave. */
  static final String SPLITTER_OF_2 = PACKAGE + "tool/LoadIncrementalHFiles";

  static final String SPLITTER_OF_3 = PACKAGE + "tool/BulkLoadHFilesTool";
  static final String OUTPUT_FORMAT = PACKAGE + "mapreduce/HFileOutputFormat2";
  static final String RECORD_WRITER = OUTPUT_FORMAT + "$1";

  private static final String HOOKS = "io/winnow/hbase/BulkLoadHooks";

  private static final String CONF = "Lorg/apache/hadoop/conf/Configuration;";
  private static final String PATH = "Lorg/apache/hadoop/fs/Path;";
  private static final String JOB = "org/apache/hadoop/mapreduce/Job";
  private static final String FAMILY = "L" + PACKAGE + "client/ColumnFamilyDescriptor;";
  private static final String TABLE = "L" + PACKAGE + "client/TableDescriptor;";

  /** A method, and the code in front of its own, which leaves stack and types of locals alone. */
  private record Prologue(boolean isStatic, String method, Consumer<MethodVisitor> code) {}

  private static final Map<String, List<Prologue>> PROLOGUES =
      Map.of(
          SPLITTER_OF_2,
          List.of(copyHFileHalf("")),
          SPLITTER_OF_3,
          List.of(copyHFileHalf("L" + PACKAGE + "client/AsyncTableRegionLocator;")),
          OUTPUT_FORMAT,
          List.of(
              new Prologue(
                  true,
                  "configureIncrementalLoad(L" + JOB + ";Ljava/util/List;Ljava/lang/Class;)V",
                  code -> remember(code, "Ljava/util/List;")),
              new Prologue(
                  true,
                  "configureIncrementalLoadMap(L" + JOB + ";" + TABLE + ")V",
                  code -> remember(code, TABLE))),
          RECORD_WRITER,
          List.of(
              new Prologue(
                  false,
                  ("getNewWriter([B[B" + CONF + "[Ljava/net/InetSocketAddress;)")
                      + ("L" + OUTPUT_FORMAT + "$WriterLength;"),
                  code -> {
                    load(code, 3, 1, 2);
                    hook(code, "ofFamily", "(" + CONF + "[B[B)" + CONF);
                    code.visitVarInsn(Opcodes.ASTORE, 3);
                  })));

  private static Prologue copyHFileHalf(String lastArgument) {
    return new Prologue(
        true,
        ("copyHFileHalf(" + CONF + PATH + PATH)
            + ("L" + PACKAGE + "io/Reference;" + FAMILY + lastArgument + ")V"),
        code -> {
          load(code, 0, 4);
          hook(code, "ofFamily", "(" + CONF + FAMILY + ")" + CONF);
          code.visitVarInsn(Opcodes.ASTORE, 0);
        });
  }

  private static void remember(MethodVisitor code, String tables) {
    load(code, 0);
    code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, JOB, "getConfiguration", "()" + CONF, false);
    load(code, 1);
    hook(code, "remember", "(" + CONF + tables + ")V");
  }

  private static void load(MethodVisitor code, int... locals) {
    for (int local : locals) {
      code.visitVarInsn(Opcodes.ALOAD, local);
    }
  }

  private static void hook(MethodVisitor code, String name, String descriptor) {
    code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, name, descriptor, false);
  }

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(String target, byte[] classFile) {
    Set<String> missing = new TreeSet<>();
    PROLOGUES.get(target).forEach(prologue -> missing.add(prologue.method()));
    try {
      ClassReader reader = new ClassReader(classFile);
      if (inheritsAll(reader)) {
        return null;
      }
      reader.accept(
          new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                int access, String name, String descriptor, String s, String[] thrown) {
              if (prologueOf(target, access, name + descriptor) != null) {
                missing.remove(name + descriptor);
              }
              return null;
            }
          },
          ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    } catch (RuntimeException e) {
      return "it is not a class file of a version known here (" + e + ")";
    }
    return missing.isEmpty() ? null : "no method " + String.join(", ", missing);
  }

  /** HBase 2's BulkLoadHFilesTool has the method from the class that is woven there. */
  private static boolean inheritsAll(ClassReader reader) {
    return SPLITTER_OF_2.equals(reader.getSuperName());
  }

  private static Prologue prologueOf(String target, int access, String method) {
    boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
    return PROLOGUES.get(target).stream()
        .filter(prologue -> prologue.method().equals(method) && prologue.isStatic() == isStatic)
        .findAny()
        .orElse(null);
  }

  /**
   * The class with the prologues, or null if it is to stay as it is; {@link #problemWith} must have
   * found nothing.
   */
  static byte[] weave(String target, byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    if (inheritsAll(reader)) {
      return null;
    }
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            Prologue prologue = prologueOf(target, access, name + descriptor);
            return prologue == null
                ? method
                : new MethodVisitor(Opcodes.ASM9, method) {
                  @Override
                  public void visitCode() {
                    super.visitCode();
                    prologue.code().accept(this);
                  }
                };
          }
        },
        0);
    return writer.toByteArray();
  }
}

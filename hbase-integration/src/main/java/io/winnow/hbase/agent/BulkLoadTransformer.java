package io.winnow.hbase.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * <p>A method that is not there costs a line on standard error and nothing else: these are tools,
 * their classes are often absent, and what they write is served whatever its filter. Thread-safe.
 */
final class BulkLoadTransformer implements ClassFileTransformer {
  private static final String PACKAGE = "org/apache/hadoop/hbase/";
  private static final String SPLITTER_OF_2 = PACKAGE + "tool/LoadIncrementalHFiles";
  private static final String OUTPUT_FORMAT = PACKAGE + "mapreduce/HFileOutputFormat2";
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
          PACKAGE + "tool/BulkLoadHFilesTool",
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
          OUTPUT_FORMAT + "$1",
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

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (className == null || !className.startsWith(PACKAGE)) {
      return null;
    }
    List<Prologue> prologues = PROLOGUES.get(className);
    if (prologues == null) {
      return null;
    }
    try {
      if (loader != ClassLoader.getSystemClassLoader()) {
        warn(className, "it is loaded by " + loader + ", not by the application class loader");
        return null;
      }
      return weave(className, prologues, classFile);
    } catch (RuntimeException | LinkageError e) {
      warn(className, e.toString()); // the JVM itself would say nothing
      return null;
    }
  }

  private static byte[] weave(String className, List<Prologue> prologues, byte[] classFile) {
    Set<Prologue> missing = new HashSet<>(prologues);
    ClassReader reader = new ClassReader(classFile);
    if (SPLITTER_OF_2.equals(reader.getSuperName())) {
      return null; // HBase 2's BulkLoadHFilesTool inherits the method
    }
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor method = super.visitMethod(access, name, descriptor, signature, thrown);
            boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
            for (Prologue prologue : prologues) {
              if (prologue.method().equals(name + descriptor) && prologue.isStatic() == isStatic) {
                missing.remove(prologue);
                return new MethodVisitor(Opcodes.ASM9, method) {
                  @Override
                  public void visitCode() {
                    super.visitCode();
                    prologue.code().accept(this);
                  }
                };
              }
            }
            return method;
          }
        },
        0);
    missing.forEach(prologue -> warn(className, "no method " + prologue.method()));
    return missing.size() == prologues.size() ? null : writer.toByteArray();
  }

  private static void warn(String className, String problem) {
    System.err.println(
        "Winnow: WARNING: what filter a family asks for is not seen in the files that "
            + className.replace('/', '.')
            + " writes ("
            + problem
            + "): name it with -Dwinnow.filter=..., or compact the table after the load");
  }
}

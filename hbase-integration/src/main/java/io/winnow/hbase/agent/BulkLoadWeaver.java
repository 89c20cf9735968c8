package io.winnow.hbase.agent;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  private static final Map<String, CallsInFront> CALLS =
      Stream.of(
              CallsInFront.of(SPLITTER_OF_2, copyHFileHalf("")),
              CallsInFront.of(
                  SPLITTER_OF_3, copyHFileHalf("L" + PACKAGE + "client/AsyncTableRegionLocator;")),
              CallsInFront.of(
                  OUTPUT_FORMAT,
                  new CallsInFront.Call(
                      true,
                      "configureIncrementalLoad(L" + JOB + ";Ljava/util/List;Ljava/lang/Class;)V",
                      code -> remember(code, "Ljava/util/List;")),
                  new CallsInFront.Call(
                      true,
                      "configureIncrementalLoadMap(L" + JOB + ";" + TABLE + ")V",
                      code -> remember(code, TABLE))),
              CallsInFront.of(
                  RECORD_WRITER,
                  new CallsInFront.Call(
                      false,
                      ("getNewWriter([B[B" + CONF + "[Ljava/net/InetSocketAddress;)")
                          + ("L" + OUTPUT_FORMAT + "$WriterLength;"),
                      code -> {
                        load(code, 3, 1, 2);
                        hook(code, "ofFamily", "(" + CONF + "[B[B)" + CONF);
                        code.visitVarInsn(Opcodes.ASTORE, 3);
                      })))
          .collect(Collectors.toMap(CallsInFront::target, Function.identity()));

  private static CallsInFront.Call copyHFileHalf(String lastArgument) {
    return new CallsInFront.Call(
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
    return ClassShape.problemWith(
        classFile,
        target,
        shape -> inheritsAll(shape) ? null : CALLS.get(target).problemWith(classFile));
  }

  /** HBase 2's BulkLoadHFilesTool has the method from the class that is woven there. */
  private static boolean inheritsAll(ClassShape shape) {
    return shape.supertypes().contains(SPLITTER_OF_2);
  }

  /**
   * The class with the calls, or null if it is to stay as it is; {@link #problemWith} must have
   * found nothing.
   */
  static byte[] weave(String target, byte[] classFile) {
    return inheritsAll(new ClassShape(classFile)) ? null : CALLS.get(target).weave(classFile);
  }
}

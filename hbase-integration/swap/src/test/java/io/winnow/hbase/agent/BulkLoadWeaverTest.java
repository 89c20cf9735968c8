package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Weaving of the real classes; BulkLoadIT runs what comes of it. */
class BulkLoadWeaverTest {
  private static final String HBASE = "org/apache/hadoop/hbase/";

  private static byte[] classFile(String name) throws IOException {
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tool/LoadIncrementalHFiles, copyHFileHalf: ofFamily",
    "mapreduce/HFileOutputFormat2,"
        + " 'configureIncrementalLoad: record, configureIncrementalLoadMap: record'",
    "mapreduce/HFileOutputFormat2$1, getNewWriter: ofFamily",
  })
  void everyMethodIsFoundInTheRealClasses(String name, String hooks) throws IOException {
    byte[] stock = classFile(HBASE + name);
    assertNull(WovenFactory.rowOf(HBASE + name).weaver.problemWith(stock));
    byte[] woven = WovenFactory.rowOf(HBASE + name).weaver.weave(stock);
    assertEquals(hooks, String.join(", ", WovenFactory.hooks(woven)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.0.0-beta-1", "3.0.0"})
  void toolThatSplitsOnHBase3IsWovenToo(String version) {
    String name = HBASE + "tool/BulkLoadHFilesTool";
    byte[] stock = OtherLines.classFile(version, name);
    assertNull(WovenFactory.rowOf(name).weaver.problemWith(stock));
    byte[] woven = WovenFactory.rowOf(name).weaver.weave(stock);
    assertEquals(List.of("copyHFileHalf: ofFamily"), WovenFactory.hooks(woven));
    // The configuration and the family go in, and a configuration comes out
    assertEquals("25 0, 25 4, 58 0", front(woven, "copyHFileHalf"));
  }

  /** The first three loads and stores of the method, as operation and local. */
  private static String front(byte[] classFile, String name) {
    List<String> locals = new ArrayList<>();
    new ClassReader(classFile)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String method, String type, String signature, String[] thrown) {
                return !method.equals(name)
                    ? null
                    : new MethodVisitor(Opcodes.ASM9) {
                      @Override
                      public void visitVarInsn(int opcode, int local) {
                        locals.add(opcode + " " + local);
                      }
                    };
              }
            },
            0);
    return String.join(", ", locals.subList(0, 3));
  }

  @Test
  void toolThatInheritsTheSplittingIsLeftAloneWithoutAWord() throws IOException {
    String name = HBASE + "tool/BulkLoadHFilesTool";
    for (byte[] tool : List.of(classFile(name), OtherLines.classFile("2.5.13-hadoop3", name))) {
      assertNull(WovenFactory.rowOf(name).weaver.problemWith(tool));
      assertNull(WovenFactory.rowOf(name).weaver.weave(tool));
    }
    String splitter = HBASE + "tool/LoadIncrementalHFiles";
    byte[] woven =
        WovenFactory.rowOf(splitter).weaver.weave(OtherLines.classFile("2.5.13-hadoop3", splitter));
    assertEquals(List.of("copyHFileHalf: ofFamily"), WovenFactory.hooks(woven));
  }

  @Test
  void classOfAnotherShapeHasAProblemThatNamesTheMethod() {
    ClassWriter other = new ClassWriter(0);
    String name = HBASE + "tool/LoadIncrementalHFiles";
    other.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    other.visitEnd();
    String problem = WovenFactory.rowOf(name).weaver.problemWith(other.toByteArray());
    assertTrue(problem.startsWith("it has no static method copyHFileHalf("), problem);
    assertTrue(
        WovenFactory.rowOf(name)
            .weaver
            .problemWith(new byte[7])
            .startsWith("it is not a class file"));
  }
}

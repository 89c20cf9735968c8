package io.winnow.hbase.agent;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The classes that are woven for metrics, of every line of HBase. */
class MetricsWeaversTest {
  private static final String HERE = "on the class path";

  private static byte[] classFile(String version, String name) {
    return version.equals(HERE)
        ? WovenFactory.stockBytes(name)
        : OtherLines.classFile(version, name);
  }

  /** Lines of the source in a static method's table of line numbers. */
  private static List<Integer> lines(byte[] classFile, String method) {
    List<Integer> lines = new ArrayList<>();
    new ClassReader(classFile)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                return !name.equals(method) || (access & Opcodes.ACC_STATIC) == 0
                    ? null
                    : new MethodVisitor(Opcodes.ASM9) {
                      @Override
                      public void visitLineNumber(int line, Label start) {
                        lines.add(line);
                      }
                    };
              }
            },
            ClassReader.SKIP_FRAMES);
    return lines;
  }

  @Test
  void copiesOfHBasesMethodsHaveItsLineNumbers() {
    byte[] stock = classFile(HERE, StoreFileScannerWeaver.TARGET);
    byte[] woven = new StoreFileScannerWeaver().weave(stock);
    for (String method : List.of("seekAtOrAfter", "reseekAtOrAfter")) {
      assertTrue(lines(stock, method).size() > 3, method);
      assertEquals(lines(stock, method), lines(woven, "winnow$" + method));
    }
  }

  /** How often each method calls each hook. */
  private static Map<String, Long> hooks(byte[] classFile) {
    return WovenFactory.hooks(classFile).stream()
        .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void scannerIsWovenOnEveryLine(String version) {
    byte[] stock = classFile(version, StoreFileScannerWeaver.TARGET);
    assertNull(new StoreFileScannerWeaver().problemWith(stock));
    byte[] woven = new StoreFileScannerWeaver().weave(stock);
    Map<String, Long> hooks = hooks(woven);
    assertTrue(hooks.remove("seekToPreviousRow: winnow$cameBack") > 0, "at each return");
    assertEquals(
        new TreeMap<>(
            Map.ofEntries(
                entry("shouldUseScanner: winnow$answered", 1L),
                entry("requestSeek: winnow$ruledOut", 1L),
                entry("seek: winnow$seekAtOrAfter", 1L),
                entry("seek: winnow$sought", 2L),
                entry("reseek: winnow$reseekAtOrAfter", 1L),
                entry("reseek: winnow$sought", 2L),
                entry("next: winnow$stepped", 1L),
                entry("skipKVsNewerThanReadpoint: winnow$stepped", 1L),
                entry("winnow$seekAtOrAfter: winnow$passing", 1L),
                entry("winnow$reseekAtOrAfter: winnow$passing", 1L),
                entry("winnow$answered: answered", 1L),
                entry("winnow$ruledOut: ruledOut", 1L),
                entry("winnow$sought: sought", 1L),
                entry("winnow$stepped: stepped", 1L),
                entry("winnow$cameBack: cameBack", 1L),
                entry("winnow$passing: passing", 1L))),
        hooks);
    assertEquals("it is woven already", new StoreFileScannerWeaver().problemWith(woven));
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void serverIsWovenOnEveryLine(String version) {
    byte[] stock = classFile(version, WovenFactory.row("MetricsRegionServerWrapperImpl").target());
    assertNull(WovenFactory.row("MetricsRegionServerWrapperImpl").weaver.problemWith(stock));
    assertEquals(
        Map.of("<init>: starts", 1L),
        hooks(WovenFactory.row("MetricsRegionServerWrapperImpl").weaver.weave(stock)));
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void readerIsWovenOnEveryLine(String version) {
    byte[] stock = classFile(version, WovenFactory.row("StoreFileReader").target());
    assertNull(WovenFactory.row("StoreFileReader").weaver.problemWith(stock));
    assertEquals(
        Map.of("passesBloomFilter: segmentOf", 1L, "passesBloomFilter: mayHaveRows", 1L),
        hooks(WovenFactory.row("StoreFileReader").weaver.weave(stock)));
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void writerOfFilesIsWovenOnEveryLine(String version) {
    byte[] stock = classFile(version, HFileWriterWeaver.TARGET);
    assertNull(new HFileWriterWeaver().problemWith(stock));
    assertEquals(
        Map.of("<init>: collector", 1L, "append: append", 1L, "finishFileInfo: finish", 1L),
        hooks(new HFileWriterWeaver().weave(stock)));
  }

  @ParameterizedTest
  @ValueSource(strings = {HERE, "2.5.13-hadoop3", "3.0.0-beta-1", "3.0.0"})
  void whatSelectsScannersIsWovenOnEveryLine(String version) {
    byte[] stock = classFile(version, WovenFactory.row("StoreScanner").target());
    assertNull(WovenFactory.row("StoreScanner").weaver.problemWith(stock));
    assertEquals(
        Map.of("selectScannersFrom: selects", 1L),
        hooks(WovenFactory.row("StoreScanner").weaver.weave(stock)));
  }

  /** Leaves out the calls of one method. */
  private static byte[] without(String callee) {
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(WovenFactory.stockBytes(StoreFileScannerWeaver.TARGET))
        .accept(
            new ClassVisitor(Opcodes.ASM9, writer) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String type, String signature, String[] thrown) {
                return new MethodVisitor(
                    Opcodes.ASM9, super.visitMethod(access, name, type, signature, thrown)) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String method, String type, boolean isInterface) {
                    if (!method.equals(callee)) {
                      super.visitMethodInsn(opcode, owner, method, type, isInterface);
                    }
                  }
                };
              }
            },
            0);
    return writer.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "passesBloomFilter",
        "createLastOnRowCol",
        "setCurrentCell",
        "seekAtOrAfter",
        "reseekAtOrAfter",
        "next"
      })
  void scannerOfAnotherShapeIsRefusedInWords(String callee) {
    String problem = new StoreFileScannerWeaver().problemWith(without(callee));
    assertTrue(problem.contains(" has " + callee + " 0 times, and not once"), problem);
  }

  @Test
  void otherClassesAreRefusedInWords() {
    for (Weaver weaver :
        List.of(
            new StoreFileScannerWeaver(),
            WovenFactory.row("StoreFileReader").weaver,
            new HFileWriterWeaver(),
            WovenFactory.row("MetricsRegionServerWrapperImpl").weaver)) {
      assertEquals(
          "it calls itself " + BloomFilterFactoryWeaver.TARGET.replace('/', '.'),
          weaver.problemWith(WovenFactory.stockBytes()));
      String words = weaver.problemWith(new byte[7]);
      assertTrue(words.startsWith("it is not a class file of a version known here"), words);
    }
  }
}

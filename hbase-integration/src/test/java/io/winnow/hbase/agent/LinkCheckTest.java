package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The HBase of these tests, whole, and with something of it missing. */
class LinkCheckTest {
  private static final ClassFiles REAL = ClassFiles.of(LinkCheckTest.class.getClassLoader());
  private static final String HFILE = "org/apache/hadoop/hbase/io/hfile/";

  /** HBase with one class changed, or away if that gives null. */
  private static Map<Feature, Set<String>> problems(String name, UnaryOperator<byte[]> change) {
    ClassFiles changed =
        asked -> asked.equals(name) ? change.apply(REAL.find(asked)) : REAL.find(asked);
    return new LinkCheck(new ClassShapes(REAL, changed)).problems();
  }

  private static void assertOnly(
      Feature feature, String problem, Map<Feature, Set<String>> problems) {
    assertEquals(Map.of(feature, Set.of(problem)), problems);
  }

  /** Gives members other access flags, or takes them away (-1). */
  private static UnaryOperator<byte[]> member(String member, int newAccess) {
    return classFile -> {
      ClassWriter writer = new ClassWriter(0);
      new ClassReader(classFile)
          .accept(
              new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public MethodVisitor visitMethod(
                    int access, String name, String type, String signature, String[] thrown) {
                  if (!name.equals(member)) {
                    return super.visitMethod(access, name, type, signature, thrown);
                  }
                  return newAccess < 0
                      ? null
                      : super.visitMethod(newAccess, name, type, signature, thrown);
                }

                @Override
                public FieldVisitor visitField(
                    int access, String name, String type, String signature, Object value) {
                  return name.equals(member) && newAccess < 0
                      ? null
                      : super.visitField(access, name, type, signature, value);
                }
              },
              ClassReader.SKIP_CODE);
      return writer.toByteArray();
    };
  }

  private static UnaryOperator<byte[]> access(int newAccess) {
    return classFile -> {
      ClassWriter writer = new ClassWriter(0);
      new ClassReader(classFile)
          .accept(
              new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public void visit(
                    int version, int old, String name, String s, String parent, String[] types) {
                  super.visit(version, newAccess, name, s, parent, types);
                }
              },
              ClassReader.SKIP_CODE);
      return writer.toByteArray();
    };
  }

  private static UnaryOperator<byte[]> withAbstractMethod(String method) {
    return classFile -> {
      ClassWriter writer = new ClassWriter(0);
      new ClassReader(classFile).accept(writer, 0);
      int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT;
      writer.visitMethod(access, method, "(I)V", null, null).visitEnd();
      return writer.toByteArray();
    };
  }

  @Test
  void nothingIsMissingInAWholeHBase() {
    Map<Feature, Set<String>> problems = new LinkCheck(new ClassShapes(REAL, REAL)).problems();
    if (!tellsAReadersCache()) {
      problems.remove(Feature.REMEMBERED_CHUNKS);
    }
    assertEquals(Map.of(), problems);
  }

  /** HBase 2.5 does not. */
  private static boolean tellsAReadersCache() {
    return Stream.of(HFileReaderImpl.class.getMethods())
        .anyMatch(method -> method.getName().equals("getCacheConf"));
  }

  @Test
  void allClassesOfTheSwapLink() throws IOException {
    Set<String> classes = new TreeSet<>();
    Path root = Path.of("target", "classes");
    try (Stream<Path> files = Files.list(root.resolve("io/winnow/hbase"))) {
      files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(file -> file.endsWith(".class") && !file.endsWith("package-info.class"))
          .forEach(file -> classes.add(file.substring(0, file.length() - ".class".length())));
    }
    assertTrue(classes.contains("io/winnow/hbase/WinnowHooks"), classes.toString());
    Set<String> problems = new LinkCheck(new ClassShapes(REAL, REAL)).problemsOf(classes);
    problems.removeIf(problem -> !tellsAReadersCache() && problem.contains("getCacheConf()"));
    assertEquals(Set.of(), problems);
  }

  @Test
  void missingClassIsNamed() {
    Map<Feature, Set<String>> problems = problems(HFILE + "HFileBlock", file -> null);
    assertTrue(
        problems
            .get(Feature.FILTERS)
            .contains("no class org.apache.hadoop.hbase.io.hfile.HFileBlock"),
        problems.toString());
  }

  @Test
  void missingMethodIsNamed() {
    assertOnly(
        Feature.FILTERS,
        "no void org.apache.hadoop.hbase.io.hfile.HFile.Writer"
            + ".addInlineBlockWriter(InlineBlockWriter)",
        problems(HFILE + "HFile$Writer", member("addInlineBlockWriter", -1)));
  }

  @Test
  void missingFieldIsNamed() {
    assertOnly(
        Feature.FILTERS,
        "no byte[] org.apache.hadoop.hbase.regionserver.HStoreFile.BLOOM_FILTER_TYPE_KEY",
        problems(
            "org/apache/hadoop/hbase/regionserver/HStoreFile",
            member("BLOOM_FILTER_TYPE_KEY", -1)));
  }

  @Test
  void memberOfOneFeatureCountsAgainstItAlone() {
    assumeTrue(tellsAReadersCache());
    assertOnly(
        Feature.REMEMBERED_CHUNKS,
        "no CacheConfig org.apache.hadoop.hbase.io.hfile.HFileReaderImpl.getCacheConf()",
        problems(HFILE + "HFileReaderImpl", member("getCacheConf", -1)));
    Map<Feature, Set<String>> problems =
        problems("org/apache/hadoop/hbase/client/TableDescriptor", member("getColumnFamilies", -1));
    assertEquals(
        Set.of(
            "no ColumnFamilyDescriptor[] org.apache.hadoop.hbase.client.TableDescriptor"
                + ".getColumnFamilies()"),
        problems.get(Feature.BULK_LOAD));
    assertEquals(null, problems.get(Feature.FILTERS));
  }

  /**
   * Each file that is written asks whether it is a system table's, with that feature or without.
   */
  @Test
  void systemTablesMayBeOffWithoutTheFilters() {
    Map<Feature, Set<String>> problems =
        problems("org/apache/hadoop/hbase/client/TableDescriptor", member("getTableName", -1));
    assertTrue(problems.containsKey(Feature.SYSTEM_TABLES), problems.toString());
    assertEquals(null, problems.get(Feature.FILTERS));
    Set<String> missing =
        problems(HFILE + "HFileContext", member("getTableName", -1)).get(Feature.FILTERS);
    assertEquals(
        Set.of("no byte[] org.apache.hadoop.hbase.io.hfile.HFileContext.getTableName()"), missing);
  }

  @Test
  void memberThatIsNotPublicIsNamed() {
    String member =
        "boolean org.apache.hadoop.hbase.io.hfile.CacheConfig.shouldCacheBloomsOnWrite()";
    for (int access : new int[] {0, Opcodes.ACC_PRIVATE}) {
      assertOnly(
          Feature.FILTERS,
          "not public: " + member,
          problems(HFILE + "CacheConfig", member("shouldCacheBloomsOnWrite", access)));
    }
  }

  @Test
  void classThatIsNotPublicIsNamed() {
    assertOnly(
        Feature.FILTERS,
        "class org.apache.hadoop.hbase.io.hfile.BlockType is not public",
        problems(HFILE + "BlockType", access(Opcodes.ACC_FINAL | Opcodes.ACC_SUPER)));
  }

  @Test
  void interfaceThatTurnedAClassIsNamed() {
    assertOnly(
        Feature.FILTERS,
        "class org.apache.hadoop.hbase.io.hfile.HFile.Writer is no interface",
        problems(
            HFILE + "HFile$Writer",
            access(Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT | Opcodes.ACC_SUPER)));
  }

  @Test
  void classThatTurnedAnInterfaceIsNamed() {
    Map<Feature, Set<String>> problems =
        problems(
            HFILE + "HFileContext",
            access(Opcodes.ACC_PUBLIC | Opcodes.ACC_ABSTRACT | Opcodes.ACC_INTERFACE));
    assertOnly(
        Feature.FILTERS,
        "class org.apache.hadoop.hbase.io.hfile.HFileContext is an interface",
        problems);
  }

  @Test
  void abstractMethodThatOurClassHasNotIsNamed() {
    String writer = "not implemented by io.winnow.hbase.WinnowChunkWriter: ";
    for (String type : List.of("util.BloomFilterWriter", "regionserver.CellSink")) {
      assertOnly(
          Feature.FILTERS,
          writer + "void org.apache.hadoop.hbase." + type + ".later(int)",
          problems(
              "org/apache/hadoop/hbase/" + type.replace('.', '/'), withAbstractMethod("later")));
    }
  }

  @Test
  void versionOfHBaseIsReadFromItsClassFile() {
    assertEquals(
        org.apache.hadoop.hbase.util.VersionInfo.getVersion(), HBaseVersion.ofCommon(REAL));
    assertEquals("of an unknown version", HBaseVersion.ofCommon(name -> null));
    assertEquals("of an unknown version", HBaseVersion.ofCommon(name -> new byte[9]));
  }

  /** The agent must start on a Java that came out after it. */
  @Test
  void classesOfAJdkOfTheFutureAreRead() throws IOException {
    byte[] classFile = ClassFiles.of(ClassLoader.getPlatformClassLoader()).find("java/lang/Enum");
    ByteBuffer.wrap(classFile).putShort(6, (short) 200);
    assertThrows(IllegalArgumentException.class, () -> new ClassShape(classFile));
    ClassShape shape = ClassShape.ofJdk(classFile);
    assertTrue(shape.members().containsKey("ordinal()I"));
    assertTrue(shape.supertypes().contains("java/lang/Comparable"));
  }
}

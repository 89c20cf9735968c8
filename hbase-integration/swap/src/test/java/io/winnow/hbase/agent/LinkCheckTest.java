package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The HBase of these tests, whole, and with something of it missing. */
class LinkCheckTest {
  @TempDir Path dir;

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
    assertEquals(Map.of(), new LinkCheck(new ClassShapes(REAL, REAL)).problems());
  }

  @Test
  void allClassesOfTheSwapLink() throws IOException {
    Set<String> classes = new TreeSet<>();
    Path root = Path.of("target", "classes");
    try (Stream<Path> files = WovenFactory.ofTheSwap(root)) {
      files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(file -> file.endsWith(".class") && !file.endsWith("package-info.class"))
          .forEach(file -> classes.add(file.substring(0, file.length() - ".class".length())));
    }
    assertTrue(classes.contains("io/winnow/hbase/hooks/WinnowHooks"), classes.toString());
    Set<String> problems = new LinkCheck(new ClassShapes(REAL, REAL)).problemsOf(classes);
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
    assertOnly(
        Feature.REMEMBERED_CHUNKS,
        "no org.apache.hadoop.hbase.io.hfile.HFileReaderImpl.cacheConf",
        problems(HFILE + "HFileReaderImpl", member("cacheConf", -1)));
    Map<Feature, Set<String>> problems =
        problems("org/apache/hadoop/hbase/client/TableDescriptor", member("getColumnFamilies", -1));
    assertEquals(
        Set.of(
            "no ColumnFamilyDescriptor[] org.apache.hadoop.hbase.client.TableDescriptor"
                + ".getColumnFamilies()"),
        problems.get(Feature.BULK_LOAD));
    assertEquals(null, problems.get(Feature.FILTERS));
  }

  /** What is found by reflection is looked up by each of its names. */
  @Test
  void memberWithTwoNamesMayHaveEither() {
    String manager = "org/apache/hadoop/hbase/regionserver/StoreFileManager";
    UnaryOperator<byte[]> renamed =
        classFile ->
            new String(classFile, StandardCharsets.ISO_8859_1)
                .replace("getStoreFiles", "getStorefiles")
                .getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(Map.of(), problems(manager, renamed));
    assertOnly(
        Feature.STORE_RATES,
        "no org.apache.hadoop.hbase.regionserver.StoreFileManager"
            + ".getStoreFiles() or getStorefiles()",
        problems(manager, member("getStoreFiles", -1)));
  }

  /** Where HBase counts no such bytes there is nothing to count. */
  @Test
  void metricThatHBaseHasNotIsNotOff() {
    assertEquals(Map.of(), problems(Feature.SCAN_METRICS.subject(), classFile -> null));
    assertOnly(
        Feature.SCAN_METRICS,
        "no long org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics"
            + ".addBytesReadFromBlockCache(long)",
        problems(Feature.SCAN_METRICS.subject(), member("addBytesReadFromBlockCache", -1)));
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
    String writer = "not implemented by io.winnow.hbase.write.WinnowChunkWriter: ";
    for (String type : List.of("util.BloomFilterWriter", "regionserver.CellSink")) {
      assertOnly(
          Feature.FILTERS,
          writer + "void org.apache.hadoop.hbase." + type + ".later(int)",
          problems(
              "org/apache/hadoop/hbase/" + type.replace('.', '/'), withAbstractMethod("later")));
    }
  }

  /** The jar tells it: hbase-common may be of another release. */
  @Test
  void versionIsThatOfHBaseServer() throws IOException {
    Path server = OtherLines.jar("hbase-server", "2.6.6");
    for (String version : List.of("2.6.6", "2.5.13-hadoop3")) {
      try (URLClassLoader mixed =
          OtherLines.loader(List.of(OtherLines.jar("hbase-server", version)))) {
        assertEquals(version, HBaseVersion.in(mixed));
        assertEquals(
            org.apache.hadoop.hbase.util.VersionInfo.getVersion(),
            HBaseVersion.ofCommon(ClassFiles.of(mixed)));
      }
    }
    Path bare = withoutManifest(server, dir.resolve("hbase-server-2.6.6-vendor-7.jar"));
    assertVersion("2.6.6-vendor-7", bare);
    assertVersion(HBaseVersion.UNKNOWN, Files.copy(bare, dir.resolve("hbase.jar")));
  }

  private static void assertVersion(String expected, Path jar) throws IOException {
    URL[] urls = {jar.toUri().toURL()};
    try (URLClassLoader alone = new URLClassLoader(urls, null)) {
      assertEquals(expected, HBaseVersion.in(alone));
    }
  }

  private static Path withoutManifest(Path jar, Path to) throws IOException {
    String factory = BloomFilterFactoryWeaver.TARGET + ".class";
    try (JarFile from = new JarFile(jar.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(to))) {
      out.putNextEntry(new ZipEntry(factory));
      from.getInputStream(from.getEntry(factory)).transferTo(out);
    }
    return to;
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
    assertTrue(shape.supertypes.contains("java/lang/Comparable"));
  }
}

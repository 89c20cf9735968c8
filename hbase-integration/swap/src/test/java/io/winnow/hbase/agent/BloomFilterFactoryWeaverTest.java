package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

class BloomFilterFactoryWeaverTest {
  private static final byte[] STOCK = WovenFactory.stockBytes();

  /** Defines the woven class beside the one of the application; everything else is shared. */
  private static final class ChildLoader extends ClassLoader {
    ChildLoader() {
      super(BloomFilterFactoryWeaverTest.class.getClassLoader());
    }

    Class<?> define(byte[] classFile) {
      return defineClass(null, classFile, 0, classFile.length);
    }
  }

  /** Renames, retypes or changes the access of one method. */
  private static byte[] altered(String method, String newName, String newDescriptor, int access) {
    ClassWriter writer = new ClassWriter(0);
    new ClassReader(STOCK)
        .accept(
            new ClassVisitor(Opcodes.ASM9, writer) {
              @Override
              public MethodVisitor visitMethod(
                  int oldAccess, String name, String descriptor, String s, String[] thrown) {
                // createFromMeta has an overload that is not woven: told apart by its arguments
                boolean hit =
                    name.equals(method) && !descriptor.endsWith("HFile$Reader;)" + FILTER);
                return super.visitMethod(
                    hit && access != 0 ? access : oldAccess,
                    hit && newName != null ? newName : name,
                    hit && newDescriptor != null ? newDescriptor : descriptor,
                    s,
                    thrown);
              }
            },
            ClassReader.SKIP_CODE);
    return writer.toByteArray();
  }

  private static final String FILTER = "Lorg/apache/hadoop/hbase/util/BloomFilter;";

  @Test
  void wovenClassVerifiesAndFallsThrough() throws Exception {
    assertNull(new BloomFilterFactoryWeaver().problemWith(STOCK));
    Class<?> woven = new ChildLoader().define(new BloomFilterFactoryWeaver().weave(STOCK));
    Method general =
        woven.getMethod(
            "createGeneralBloomAtWrite",
            Configuration.class,
            CacheConfig.class,
            BloomType.class,
            int.class,
            HFile.Writer.class);
    // NONE is answered by null, by stock code, which the verifier has accepted by then.
    assertNull(general.invoke(null, new Configuration(false), null, BloomType.NONE, 1, null));

    Method fromMeta =
        woven.getMethod(
            "createFromMeta", DataInput.class, HFile.Reader.class, BloomFilterMetrics.class);
    InvocationTargetException stock =
        assertThrows(
            InvocationTargetException.class,
            () -> fromMeta.invoke(null, meta(0, 0, 0, 77), null, null));
    assertInstanceOf(IllegalArgumentException.class, stock.getCause());
    assertTrue(stock.getCause().getMessage().contains("77"), "stock code saw the same version");
  }

  private static DataInput meta(int... bytes) {
    byte[] all = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      all[i] = (byte) bytes[i];
    }
    return new DataInputStream(new ByteArrayInputStream(all));
  }

  /** The factory as HBASE-29842 has it. Stock code notes its configuration and makes nothing. */
  private static byte[] nextFactory() {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    String name = BloomFilterFactoryWeaver.TARGET;
    int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC;
    String conf = "Lorg/apache/hadoop/conf/Configuration;";
    String io = "Lorg/apache/hadoop/hbase/io/hfile/";
    String implementation = "L" + NEXT_TYPE + ";" + io + "HFile$Writer;)";
    String type = "Lorg/apache/hadoop/hbase/regionserver/BloomType;";
    String filterWriter = "Lorg/apache/hadoop/hbase/util/BloomFilterWriter;";
    writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    writer.visitField(access, "stock", conf, null, null).visitEnd();
    Map.of(
            "createGeneralBloomAtWrite",
            "(" + conf + io + "CacheConfig;" + type + implementation + filterWriter,
            "createDeleteBloomAtWrite",
            "(" + conf + io + "CacheConfig;" + implementation + filterWriter,
            "createFromMeta",
            "(Ljava/io/DataInput;" + io + "HFile$Reader;" + io + "BloomFilterMetrics;)" + FILTER)
        .forEach(
            (method, descriptor) -> {
              MethodVisitor code = writer.visitMethod(access, method, descriptor, null, null);
              code.visitCode();
              if (!method.equals("createFromMeta")) {
                code.visitVarInsn(Opcodes.ALOAD, 0);
                code.visitFieldInsn(Opcodes.PUTSTATIC, name, "stock", conf);
              }
              code.visitInsn(Opcodes.ACONST_NULL);
              code.visitInsn(Opcodes.ARETURN);
              code.visitMaxs(0, 0);
              code.visitEnd();
            });
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static final String NEXT_TYPE = "org/apache/hadoop/hbase/regionserver/BloomFilterImpl";

  @Test
  void theFactoryOfHBase29842IsWovenToo() throws Exception {
    assertNull(new BloomFilterFactoryWeaver().problemWith(nextFactory()));
    byte[] woven = new BloomFilterFactoryWeaver().weave(nextFactory());
    assertTrue(BloomFilterFactoryWeaver.isWoven(woven));
    assertFalse(BloomFilterFactoryWeaver.isWoven(nextFactory()));
    ChildLoader loader = new ChildLoader();
    ClassWriter type = new ClassWriter(0);
    type.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, NEXT_TYPE, null, "java/lang/Object", null);
    Class<?> implementation = loader.define(type.toByteArray());
    Class<?> factory = loader.define(woven);
    Method general =
        factory.getMethod(
            "createGeneralBloomAtWrite",
            Configuration.class,
            CacheConfig.class,
            BloomType.class,
            implementation,
            HFile.Writer.class);
    Method delete =
        factory.getMethod(
            "createDeleteBloomAtWrite",
            Configuration.class,
            CacheConfig.class,
            implementation,
            HFile.Writer.class);
    Field stock = factory.getField("stock");
    Configuration conf = new Configuration(false);
    CacheConfig cache = new CacheConfig(conf);
    HFile.Writer file = file();

    // Nobody asked: stock code, with its own configuration.
    assertNull(general.invoke(null, conf, cache, BloomType.ROW, null, file));
    assertSame(conf, stock.get(null));
    assertNull(delete.invoke(null, conf, cache, null, file));

    // Asked: a writer of ours, and stock code does not run.
    stock.set(null, null);
    conf.set("winnow.filter", "bumped-ribbon");
    for (Object ours :
        new Object[] {
          general.invoke(null, conf, cache, BloomType.ROW, null, file),
          delete.invoke(null, conf, cache, null, file)
        }) {
      assertEquals("io.winnow.hbase.write.WinnowChunkWriter", ours.getClass().getName());
    }
    assertNull(stock.get(null));

    // What is asked for cannot be had: stock code, with a configuration that it can work with.
    conf.set("io.storefile.bloom.error.rate", "2");
    assertNull(general.invoke(null, conf, cache, BloomType.ROW, null, file));
    Configuration usable = (Configuration) stock.get(null);
    assertEquals("bloom", usable.get("winnow.filter"));
    assertEquals(0.01, usable.getDouble("io.storefile.bloom.error.rate", 0));
  }

  /** A file's writer that takes what it is given. */
  private static HFile.Writer file() {
    return (HFile.Writer)
        Proxy.newProxyInstance(
            HFile.Writer.class.getClassLoader(),
            new Class<?>[] {HFile.Writer.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getFileContext" -> new HFileContextBuilder().build();
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> null;
                });
  }

  @Test
  void nothingButThreeMethodsChanges() {
    ClassReader before = new ClassReader(STOCK);
    ClassReader after = new ClassReader(new BloomFilterFactoryWeaver().weave(STOCK));
    assertEquals(before.getClassName(), after.getClassName());
    assertEquals(before.getAccess(), after.getAccess());
    assertArrayEquals(before.getInterfaces(), after.getInterfaces());
    assertEquals(methods(before), methods(after));
  }

  private static String methods(ClassReader reader) {
    StringBuilder all = new StringBuilder();
    reader.accept(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            all.append(access).append(' ').append(name).append(descriptor);
            all.append(Arrays.toString(thrown)).append('\n');
            return null;
          }
        },
        ClassReader.SKIP_CODE);
    return all.toString();
  }

  @Test
  void wovenClassIsToldFromStockAndFromOneThatIsHalfWoven() {
    byte[] woven = new BloomFilterFactoryWeaver().weave(STOCK);
    assertTrue(BloomFilterFactoryWeaver.isWoven(woven));
    assertFalse(BloomFilterFactoryWeaver.isWoven(STOCK));
    for (String hook : List.of("generalWriter", "deleteFamilyWriter", "filterOf")) {
      String text = new String(woven, StandardCharsets.ISO_8859_1);
      byte[] half =
          text.replace(hook, hook.substring(1) + "_").getBytes(StandardCharsets.ISO_8859_1);
      assertFalse(BloomFilterFactoryWeaver.isWoven(half), hook);
    }
  }

  @Test
  void weaverThatFailsIsTold() {
    List<String> problems = new ArrayList<>();
    WovenClass failing =
        new WovenClass(
            Feature.FILTERS,
            new Weaver(BloomFilterFactoryWeaver.TARGET) {
              @Override
              String problemIn(ClassShape shape) {
                return null;
              }

              @Override
              byte[] weave(byte[] classFile) {
                throw new StackOverflowError("deep");
              }
            });
    WeavingTransformer transformer =
        new WeavingTransformer(List.of(failing), (woven, problem) -> problems.add(problem));
    assertNull(
        transformer.transform(
            ClassLoader.getSystemClassLoader(), failing.target(), null, null, STOCK));
    assertEquals(List.of("weaving failed: java.lang.StackOverflowError: deep"), problems);
  }

  @Test
  void missingMethodIsNamed() {
    String problem =
        new BloomFilterFactoryWeaver()
            .problemWith(altered("createDeleteBloomAtWrite", "createDeleteFilter", null, 0));
    assertEquals(
        "no static BloomFilterWriter"
            + " createDeleteBloomAtWrite(Configuration, CacheConfig, int, HFile.Writer)",
        problem);
  }

  @Test
  void changedDescriptorIsShownBesideTheExpectedOne() {
    String problem =
        new BloomFilterFactoryWeaver()
            .problemWith(
                altered(
                    "createGeneralBloomAtWrite",
                    null,
                    "(Lorg/apache/hadoop/conf/Configuration;J)Ljava/lang/Object;",
                    0));
    assertNotNull(problem);
    assertTrue(problem.startsWith("no static BloomFilterWriter createGeneralBloomAtWrite("));
    assertTrue(
        problem.endsWith("but static Object createGeneralBloomAtWrite(Configuration, long)"));
  }

  @Test
  void changedReturnTypeIsRefused() {
    String problem =
        new BloomFilterFactoryWeaver()
            .problemWith(
                altered(
                    "createFromMeta",
                    null,
                    "(Ljava/io/DataInput;Lorg/apache/hadoop/hbase/io/hfile/HFile$Reader;"
                        + "Lorg/apache/hadoop/hbase/io/hfile/BloomFilterMetrics;)Ljava/lang/Object;",
                    0));
    assertTrue(problem.contains("createFromMeta(DataInput, HFile.Reader, BloomFilterMetrics)"));
  }

  @Test
  void methodsThatAreNotStaticOrHaveNoBodyAreRefused() {
    for (int access :
        new int[] {
          Opcodes.ACC_PUBLIC, Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_NATIVE
        }) {
      String problem =
          new BloomFilterFactoryWeaver()
              .problemWith(altered("createDeleteBloomAtWrite", null, null, access));
      assertTrue(problem.endsWith("is not a static method with a body"), problem);
    }
  }

  @Test
  void bytesThatAreNoClassAreRefused() {
    assertNotNull(new BloomFilterFactoryWeaver().problemWith(new byte[0]));
    assertNotNull(new BloomFilterFactoryWeaver().problemWith(new byte[500]));
    assertNotNull(new BloomFilterFactoryWeaver().problemWith(Arrays.copyOf(STOCK, 1000)));
  }

  @Test
  void refusalSaysWhatWasFoundWhatWasExpectedAndWhatToDo() {
    Refusal refusal =
        new Refusal("some.Class", "two\n  lines", BloomFilterFactoryWeaver.expectation());
    for (String part :
        new String[] {
          "some.Class",
          "Found:    two lines",
          "static BloomFilter createFromMeta(DataInput, HFile.Reader, BloomFilterMetrics)",
          "What to do",
        }) {
      assertTrue(refusal.asMessage().contains(part), refusal.asMessage());
      String inLine = part.replaceAll(": +", ": ");
      assertTrue(refusal.asLine().contains(inLine), refusal.asLine());
    }
    assertEquals(1, refusal.asLine().lines().count());
  }

  @Test
  void transformerLooksAtOneClassOnly() {
    List<String> problems = new ArrayList<>();
    WeavingTransformer transformer =
        new WeavingTransformer(
            List.of(WovenClass.ALL.get(0)), (woven, problem) -> problems.add(problem));
    ClassLoader application = ClassLoader.getSystemClassLoader();
    String other = "org/apache/hadoop/hbase/util/BloomFilterUtil";
    assertNull(transformer.transform(application, other, null, null, STOCK));
    assertNull(transformer.transform(application, null, null, null, STOCK));
    assertArrayEquals(
        new BloomFilterFactoryWeaver().weave(STOCK),
        transformer.transform(application, BloomFilterFactoryWeaver.TARGET, null, null, STOCK));
    assertNull(
        transformer.transform(
            new ChildLoader(), BloomFilterFactoryWeaver.TARGET, null, null, STOCK));
    assertEquals(1, problems.size());
    assertTrue(problems.get(0).endsWith(", not by the application's"), problems.get(0));
  }
}

package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
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
    assertNull(BloomFilterFactoryWeaver.problemWith(STOCK));
    Class<?> woven = new ChildLoader().define(BloomFilterFactoryWeaver.weave(STOCK));
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

  @Test
  void nothingButThreeMethodsChanges() {
    ClassReader before = new ClassReader(STOCK);
    ClassReader after = new ClassReader(BloomFilterFactoryWeaver.weave(STOCK));
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
    byte[] woven = BloomFilterFactoryWeaver.weave(STOCK);
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
            BloomFilterFactoryWeaver.TARGET,
            Feature.FILTERS,
            classFile -> null,
            classFile -> {
              throw new StackOverflowError("deep");
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
        BloomFilterFactoryWeaver.problemWith(
            altered("createDeleteBloomAtWrite", "createDeleteFilter", null, 0));
    assertEquals(
        "no static BloomFilterWriter"
            + " createDeleteBloomAtWrite(Configuration, CacheConfig, int, HFile.Writer)",
        problem);
  }

  @Test
  void changedDescriptorIsShownBesideTheExpectedOne() {
    String problem =
        BloomFilterFactoryWeaver.problemWith(
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
        BloomFilterFactoryWeaver.problemWith(
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
          BloomFilterFactoryWeaver.problemWith(
              altered("createDeleteBloomAtWrite", null, null, access));
      assertTrue(problem.endsWith("is not a static method with a body"), problem);
    }
  }

  @Test
  void bytesThatAreNoClassAreRefused() {
    assertNotNull(BloomFilterFactoryWeaver.problemWith(new byte[0]));
    assertNotNull(BloomFilterFactoryWeaver.problemWith(new byte[500]));
    assertNotNull(BloomFilterFactoryWeaver.problemWith(Arrays.copyOf(STOCK, 1000)));
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
        BloomFilterFactoryWeaver.weave(STOCK),
        transformer.transform(application, BloomFilterFactoryWeaver.TARGET, null, null, STOCK));
    assertNull(
        transformer.transform(
            new ChildLoader(), BloomFilterFactoryWeaver.TARGET, null, null, STOCK));
    assertEquals(1, problems.size());
    assertTrue(problems.get(0).endsWith(", not by the application's"), problems.get(0));
  }
}

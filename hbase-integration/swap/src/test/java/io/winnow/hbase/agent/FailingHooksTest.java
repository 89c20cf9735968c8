package io.winnow.hbase.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.WinnowMetrics;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilterWriter;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The woven class, with hooks that fail in every way. */
public class FailingHooksTest {
  private static final String HOOKS = "io.winnow.hbase.hooks.WinnowHooks";

  /** What the hooks throw. */
  public static Throwable thrown;

  /** Called by the hooks. */
  public static <T extends Throwable> void fail() throws T {
    @SuppressWarnings("unchecked")
    T unchecked = (T) thrown;
    throw unchecked;
  }

  /** The woven class beside other hooks; everything else is shared. */
  private static final class Loader extends ClassLoader {
    private final byte[] hooks;

    /**
     * @param hooks null if there is to be no such class
     */
    Loader(byte[] hooks) {
      super(FailingHooksTest.class.getClassLoader());
      this.hooks = hooks;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(HOOKS)) {
        return super.loadClass(name, resolve);
      }
      if (hooks == null) {
        throw new ClassNotFoundException(name);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? defineClass(name, hooks, 0, hooks.length) : loaded;
    }

    Class<?> woven() {
      byte[] classFile = new BloomFilterFactoryWeaver().weave(WovenFactory.stockBytes());
      return defineClass(null, classFile, 0, classFile.length);
    }
  }

  /** Hooks of which each throws; or {@code peeked} does its work, and the others throw. */
  private static byte[] hooks(boolean peeks) {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    String name = HOOKS.replace('.', '/');
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    Map<String, String> hooks =
        Map.of(
            "generalWriter", "createGeneralBloomAtWrite",
            "deleteFamilyWriter", "createDeleteBloomAtWrite",
            "filterOf", "createFromMeta");
    ClassShape factory = new ClassShape(WovenFactory.stockBytes());
    hooks.forEach(
        (hook, method) ->
            factory.members().keySet().stream()
                .filter(member -> member.startsWith(method + "("))
                .forEach(
                    member -> {
                      String type = member.substring(method.length());
                      String arguments = type.substring(0, type.indexOf(')') + 1);
                      boolean reads = hook.equals("filterOf");
                      hook(writer, hook, reads ? type : arguments + "Ljava/lang/Object;", false);
                    }));
    hook(writer, "peeked", "(Ljava/io/DataInput;)Ljava/io/DataInput;", peeks);
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static void hook(ClassWriter writer, String name, String type, boolean works) {
    int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC;
    MethodVisitor code = writer.visitMethod(access, name, type, null, null);
    code.visitCode();
    if (works) {
      code.visitVarInsn(Opcodes.ALOAD, 0);
    } else {
      String test = FailingHooksTest.class.getName().replace('.', '/');
      code.visitMethodInsn(Opcodes.INVOKESTATIC, test, "fail", "()V", false);
      code.visitInsn(Opcodes.ACONST_NULL);
    }
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  private static Object call(Class<?> factory, String name, Object... arguments) throws Throwable {
    for (Method method : factory.getMethods()) {
      if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
        try {
          return method.invoke(null, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }
    }
    throw new AssertionError(name);
  }

  private static Object fromMeta(Class<?> factory, int version) throws Throwable {
    byte[] bytes = ByteBuffer.allocate(100).putInt(version).array();
    DataInput meta = new DataInputStream(new ByteArrayInputStream(bytes));
    return call(factory, "createFromMeta", meta, null, new BloomFilterMetrics());
  }

  private static HFile.Writer writer() {
    HFileContext context = new HFileContext();
    return (HFile.Writer)
        Proxy.newProxyInstance(
            FailingHooksTest.class.getClassLoader(),
            new Class<?>[] {HFile.Writer.class},
            (proxy, method, arguments) ->
                method.getName().equals("getFileContext") ? context : null);
  }

  private static void assertWritesStock(Class<?> factory) throws Throwable {
    Configuration conf = new Configuration(false);
    CacheConfig cache = new CacheConfig(conf);
    assertInstanceOf(
        CompoundBloomFilterWriter.class,
        call(factory, "createGeneralBloomAtWrite", conf, cache, BloomType.ROW, 9, writer()));
    assertInstanceOf(
        CompoundBloomFilterWriter.class,
        call(factory, "createDeleteBloomAtWrite", conf, cache, 9, writer()));
  }

  static Throwable[] failures() {
    return new Throwable[] {
      new NoSuchMethodError("m"),
      new ExceptionInInitializerError("i"),
      new OutOfMemoryError("o"),
      new StackOverflowError("s"),
      new IllegalStateException("i"),
      new InterruptedException("i"),
      new IOException("io"),
    };
  }

  @ParameterizedTest
  @MethodSource("failures")
  void writersAreStock(Throwable failure) throws Throwable {
    thrown = failure;
    long written = WinnowMetrics.fallbacks(Fallback.FAILURE);
    long read = WinnowMetricsDoor.openFailures.get();
    assertWritesStock(new Loader(hooks(true)).woven());
    assertEquals(2, WinnowMetrics.fallbacks(Fallback.FAILURE) - written);
    assertEquals(read, WinnowMetricsDoor.openFailures.get());
  }

  @Test
  void hooksThatAreNotThereLeaveStockCode() throws Throwable {
    Class<?> factory = new Loader(null).woven();
    assertWritesStock(factory);
    assertStockReads(factory);
  }

  @Test
  void hooksThatCannotBeLinkedLeaveStockCode() throws Throwable {
    ClassWriter empty = new ClassWriter(0);
    String name = HOOKS.replace('.', '/');
    empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    empty.visitEnd();
    Class<?> factory = new Loader(empty.toByteArray()).woven();
    assertWritesStock(factory);
    assertStockReads(factory);
  }

  /** Stock code reads its own, from the version on, and refuses ours as HBase expects it. */
  private static void assertStockReads(Class<?> factory) throws Throwable {
    assertInstanceOf(CompoundBloomFilter.class, fromMeta(factory, 3));
    IllegalArgumentException ours =
        assertThrows(IllegalArgumentException.class, () -> fromMeta(factory, 0x57494E31));
    assertEquals("Bad bloom filter format version " + 0x57494E31, ours.getMessage());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void failureOnceTheMetaBlockIsReadMeansNoFilter(Throwable failure) {
    Class<?> factory = new Loader(hooks(true)).woven();
    thrown = failure;
    Throwable refusal = assertThrows(Throwable.class, () -> fromMeta(factory, 3));
    if (failure instanceof IOException) {
      assertSame(failure, refusal);
    } else {
      assertEquals(IllegalArgumentException.class, refusal.getClass());
      assertSame(failure, refusal.getCause());
    }
  }

  @ParameterizedTest
  @MethodSource("failures")
  void failureWhileTheVersionIsReadMeansNoFilterOrStock(Throwable failure) throws Throwable {
    Class<?> factory = new Loader(hooks(false)).woven();
    thrown = failure;
    if (failure instanceof LinkageError) {
      long written = WinnowMetrics.fallbacks(Fallback.FAILURE);
      long read = WinnowMetricsDoor.openFailures.get();
      assertStockReads(factory);
      assertEquals(written, WinnowMetrics.fallbacks(Fallback.FAILURE), "nothing was written");
      assertEquals(2, WinnowMetricsDoor.openFailures.get() - read);
    } else {
      Throwable refusal = assertThrows(Throwable.class, () -> fromMeta(factory, 3));
      assertSame(failure, failure instanceof IOException ? refusal : refusal.getCause());
    }
  }

  @Test
  void whatHBaseAnswersItselfIsLeftAsItIs() {
    Class<?> factory = new Loader(hooks(false)).woven();
    for (Throwable failure :
        new Throwable[] {new InterruptedIOException("read"), new IllegalArgumentException("bad")}) {
      thrown = failure;
      assertSame(thrown, assertThrows(Throwable.class, () -> fromMeta(factory, 3)));
    }
  }
}

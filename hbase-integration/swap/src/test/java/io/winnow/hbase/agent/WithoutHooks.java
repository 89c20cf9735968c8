package io.winnow.hbase.agent;

import java.util.Map;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A class of HBase and those within it, woven as the agent would, beside hooks that cannot be
 * loaded, or that fail. Everything else is shared with the tests.
 */
public final class WithoutHooks extends ClassLoader {
  private static final String FACTORY_HOOKS = "io.winnow.hbase.hooks.WinnowHooks";

  /** What hooks throw that fail. */
  private static Throwable thrown;

  private final String outer;

  /** Null if there is no class with hooks. */
  private final byte[] factoryHooks;

  /** Thrown by the loader that is asked for hooks; null if it does not find them. */
  private final RuntimeException refusal;

  private WithoutHooks(String outer, byte[] factoryHooks, RuntimeException refusal) {
    super(WithoutHooks.class.getClassLoader());
    this.outer = outer;
    this.factoryHooks = factoryHooks;
    this.refusal = refusal;
  }

  /** The class, by its simple name. */
  public static Class<?> load(String simpleName) {
    return load(simpleName, null);
  }

  /**
   * The class, by its simple name. To call one of its hooks throws this, where no hook's own
   * handler can catch it.
   */
  public static Class<?> load(String simpleName, RuntimeException refusal) {
    return load(WovenFactory.row(simpleName).target(), null, refusal);
  }

  /** The tool of bulk load that splits store files. */
  public static Class<?> splitter() {
    return load(WovenSplitter.target(), null, null);
  }

  /** {@code BloomFilterFactory} beside a class that has none of its hooks. */
  public static Class<?> factoryThatCannotBeLinked() {
    return load(BloomFilterFactoryWeaver.TARGET, finished(writer()), null);
  }

  /**
   * {@code BloomFilterFactory}, each of whose hooks throws this.
   *
   * @param peeks whether the one that looks at a meta block's version works
   */
  public static Class<?> factoryThatFails(Throwable newThrown, boolean peeks) {
    thrown = newThrown;
    return load(BloomFilterFactoryWeaver.TARGET, failingHooks(peeks), null);
  }

  /** Called by hooks that fail. */
  public static <T extends Throwable> void fail() throws T {
    @SuppressWarnings("unchecked")
    T unchecked = (T) thrown;
    throw unchecked;
  }

  private static Class<?> load(String internalName, byte[] factoryHooks, RuntimeException refusal) {
    String name = internalName.replace('/', '.');
    try {
      return new WithoutHooks(name, factoryHooks, refusal).loadClass(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError(name, e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    boolean isHooks = factoryHooks != null && name.equals(FACTORY_HOOKS);
    boolean isShared = name.endsWith(".HookFailures") || name.endsWith(".WithoutHooks");
    if (name.startsWith("io.winnow.") && !isHooks && !isShared) {
      if (refusal != null) {
        throw refusal;
      }
      throw new ClassNotFoundException(name);
    }
    if (!isHooks && !name.equals(outer) && !name.startsWith(outer + "$")) {
      return super.loadClass(name, resolve);
    }
    Class<?> loaded = findLoadedClass(name);
    if (loaded != null) {
      return loaded;
    }
    return isHooks
        ? defineClass(name, factoryHooks, 0, factoryHooks.length)
        : define(name.replace('.', '/'));
  }

  private Class<?> define(String internalName) {
    byte[] stock = WovenFactory.stockBytes(internalName);
    byte[] classFile =
        WovenClass.ALL.stream()
            .filter(one -> one.target().equals(internalName))
            .findAny()
            .map(one -> one.weaver.weave(stock))
            .orElse(stock);
    return defineClass(null, classFile, 0, classFile.length);
  }

  private static ClassWriter writer() {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    String name = FACTORY_HOOKS.replace('.', '/');
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    return writer;
  }

  private static byte[] finished(ClassWriter writer) {
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static byte[] failingHooks(boolean peeks) {
    ClassWriter writer = writer();
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
    return finished(writer);
  }

  private static void hook(ClassWriter writer, String name, String type, boolean works) {
    int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC;
    MethodVisitor code = writer.visitMethod(access, name, type, null, null);
    code.visitCode();
    if (works) {
      code.visitVarInsn(Opcodes.ALOAD, 0);
    } else {
      String here = WithoutHooks.class.getName().replace('.', '/');
      code.visitMethodInsn(Opcodes.INVOKESTATIC, here, "fail", "()V", false);
      code.visitInsn(Opcodes.ACONST_NULL);
    }
    code.visitInsn(Opcodes.ARETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }
}

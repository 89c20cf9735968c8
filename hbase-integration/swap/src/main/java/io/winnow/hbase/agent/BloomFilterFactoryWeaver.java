package io.winnow.hbase.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Weaver of HBase's {@code BloomFilterFactory}, which puts a call of Winnow in front of the three
 * methods that make the filters of files.
 *
 * <pre>
 *   createGeneralBloomAtWrite(conf, cacheConf, type, maxKeys, writer) {
 *     try {
 *       Object ours = WinnowHooks.generalWriter(conf, cacheConf, type, maxKeys, writer);
 *       if (ours instanceof BloomFilterWriter) return ours;
 *       if (ours != null) conf = (Configuration) ours;
 *     } catch (Throwable e) { HookFailures.passedOver(e); }
 *     ...stock...
 *   createDeleteBloomAtWrite(conf, cacheConf, maxKeys, writer) {
 *     likewise, WinnowHooks.deleteFamilyWriter
 *   createFromMeta(meta, reader, metrics) {
 *     try {
 *       meta = WinnowHooks.peeked(meta);                    LinkageError: passedOverRead
 *       BloomFilter ours = WinnowHooks.filterOf(meta, reader, metrics);
 *       if (ours != null) return ours;
 *     } catch (Throwable e) { throw HookFailures.refusal(e); }
 *     ...stock...
 * </pre>
 *
 * <p>HBASE-29842 gives the first two a {@code BloomFilterImpl} in the place of {@code maxKeys}.
 * Such an HBase is woven too, and the hooks get 0 keys, which means an unknown number.
 *
 * <p>The hooks catch their own failures. The prologue catches the failure to link a hook. Stock
 * code then writes and reads the file. It refuses our meta block by its version, and HBase serves
 * that file without its filter.
 *
 * <p>The frames of the stock code stay valid: at the end of a prologue the locals are the method's
 * arguments and nothing else, as at its beginning. So no frame is computed, and no class of HBase
 * is loaded for weaving.
 */
public final class BloomFilterFactoryWeaver extends Weaver {
  /** Internal name of HBase's class {@code BloomFilterFactory}, which is woven. */
  public static final String TARGET = "org/apache/hadoop/hbase/util/BloomFilterFactory";

  private static final String HOOKS = "io/winnow/hbase/hooks/WinnowHooks";
  private static final String FAILURES = "io/winnow/hbase/agent/HookFailures";
  private static final String OBJECT = "java/lang/Object";
  private static final String THROWABLE = "java/lang/Throwable";
  private static final String LINKAGE_ERROR = "java/lang/LinkageError";

  private static final String CONF = "Lorg/apache/hadoop/conf/Configuration;";
  private static final String CACHE_CONF = "Lorg/apache/hadoop/hbase/io/hfile/CacheConfig;";
  private static final String BLOOM_TYPE = "Lorg/apache/hadoop/hbase/regionserver/BloomType;";
  private static final String FILE_WRITER = "Lorg/apache/hadoop/hbase/io/hfile/HFile$Writer;";
  private static final String FILE_READER = "Lorg/apache/hadoop/hbase/io/hfile/HFile$Reader;";
  private static final String METRICS = "Lorg/apache/hadoop/hbase/io/hfile/BloomFilterMetrics;";
  private static final String FILTER = "Lorg/apache/hadoop/hbase/util/BloomFilter;";
  private static final String FILTER_WRITER = "Lorg/apache/hadoop/hbase/util/BloomFilterWriter;";
  private static final String META = "Ljava/io/DataInput;";

  /** Names of hooks, by name and descriptor of the HBase method that calls the hook. */
  private static final Map<String, String> HOOK_OF_METHOD = new LinkedHashMap<>();

  /**
   * Pattern of the type {@code BloomFilterImpl}, in any package, which HBASE-29842 puts in the
   * place of the number of keys.
   */
  private static final Pattern IMPLEMENTATION =
      Pattern.compile("Lorg/apache/hadoop/hbase/[a-z/]*BloomFilterImpl;");

  private static final String CREATE_FROM_META =
      "createFromMeta(" + META + FILE_READER + METRICS + ")" + FILTER;

  static {
    HOOK_OF_METHOD.put(CREATE_FROM_META, "filterOf");
    HOOK_OF_METHOD.put(
        ("createGeneralBloomAtWrite(" + CONF + CACHE_CONF + BLOOM_TYPE + "I" + FILE_WRITER + ")")
            + FILTER_WRITER,
        "generalWriter");
    HOOK_OF_METHOD.put(
        "createDeleteBloomAtWrite(" + CONF + CACHE_CONF + "I" + FILE_WRITER + ")" + FILTER_WRITER,
        "deleteFamilyWriter");
  }

  /** Creates a weaver of HBase's {@code BloomFilterFactory}. It is immutable. */
  public BloomFilterFactoryWeaver() {
    super(TARGET);
  }

  /**
   * Returns the name and descriptor that a method of {@code BloomFilterFactory} had before
   * HBASE-29842 changed a parameter.
   */
  private static String today(String method) {
    return IMPLEMENTATION.matcher(method).replaceFirst("I");
  }

  /**
   * Returns the methods that HBase's {@code BloomFilterFactory} must have, as text for messages.
   */
  static String expectation() {
    return HOOK_OF_METHOD.keySet().stream()
        .map(BloomFilterFactoryWeaver::readable)
        .collect(Collectors.joining("; "));
  }

  @Override
  String problemIn(ClassShape shape) {
    Map<String, Integer> found = shape.members();
    List<String> problems = new ArrayList<>();
    Map<String, Integer> today = new HashMap<>();
    for (Map.Entry<String, Integer> method : found.entrySet()) {
      today.put(today(method.getKey()), method.getValue());
    }
    for (String method : HOOK_OF_METHOD.keySet()) {
      Integer access = today.get(method);
      if (access == null) {
        String name = method.substring(0, method.indexOf('('));
        String others =
            found.keySet().stream()
                .filter(other -> other.startsWith(name + "("))
                .sorted()
                .map(other -> readable(other, found.get(other)))
                .collect(Collectors.joining(", "));
        problems.add("no " + readable(method) + (others.isEmpty() ? "" : ", but " + others));
      } else if ((access & Opcodes.ACC_STATIC) == 0
          || (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
        problems.add(readable(method, access) + " is not a static method with a body");
      }
    }
    return problems.isEmpty() ? null : String.join("; ", problems);
  }

  private static String readable(String nameAndDescriptor) {
    return readable(nameAndDescriptor, Opcodes.ACC_STATIC);
  }

  private static String readable(String nameAndDescriptor, int access) {
    int parenthesis = nameAndDescriptor.indexOf('(');
    return ((access & Opcodes.ACC_STATIC) == 0 ? "" : "static ")
        + JavaNames.ofMethod(
            nameAndDescriptor.substring(0, parenthesis), nameAndDescriptor.substring(parenthesis));
  }

  /**
   * Returns true if all three methods of {@code BloomFilterFactory} that make filters call their
   * hooks.
   */
  static boolean isWoven(byte[] classFile) {
    Set<String> calling = new HashSet<>();
    new ClassReader(classFile)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                String hook = HOOK_OF_METHOD.get(today(name + descriptor));
                return new MethodVisitor(Opcodes.ASM9) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String called, String type, boolean isInterface) {
                    if (owner.equals(HOOKS) && called.equals(hook)) {
                      calling.add(hook);
                    }
                  }
                };
              }
            },
            ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return calling.containsAll(HOOK_OF_METHOD.values());
  }

  /**
   * Returns the class file of {@code BloomFilterFactory} with the calls of hooks added. The given
   * class file must be HBase's own.
   */
  @Override
  public byte[] weave(byte[] classFile) {
    return MethodWeaver.weave(
        classFile,
        (access, method, own) -> {
          String hook = HOOK_OF_METHOD.get(today(method));
          return hook == null
              ? own
              : new Prologue(
                  own, hook, method.substring(method.indexOf('(')), hook.equals("filterOf"));
        });
  }

  /** Visitor that writes the call of a hook before the first instruction of a woven method. */
  private static final class Prologue extends MethodVisitor {
    private final String hook;
    private final Type type;
    private final boolean peeks;

    Prologue(MethodVisitor method, String hook, String descriptor, boolean peeks) {
      super(Opcodes.ASM9, method);
      this.hook = hook;
      this.type = Type.getMethodType(descriptor);
      this.peeks = peeks;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label start = new Label();
      Label peeked = new Label();
      Label called = new Label();
      Label unlinked = new Label();
      Label failed = new Label();
      Label notOurs = new Label();
      Label otherConf = new Label();
      Label stock = new Label();
      if (peeks) {
        visitTryCatchBlock(start, peeked, unlinked, LINKAGE_ERROR);
      }
      visitTryCatchBlock(start, called, failed, THROWABLE);
      visitLabel(start);
      if (peeks) {
        visitVarInsn(Opcodes.ALOAD, 0);
        visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "peeked", "(" + META + ")" + META, false);
        visitLabel(peeked);
        visitVarInsn(Opcodes.ASTORE, 0);
      }
      int local = 0;
      for (Type argument : type.getArgumentTypes()) {
        if (IMPLEMENTATION.matcher(argument.getDescriptor()).matches()) {
          visitInsn(Opcodes.ICONST_0);
        } else {
          visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
        }
        local += argument.getSize();
      }
      visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, hookDescriptor(), false);
      visitLabel(called);
      visitInsn(Opcodes.DUP);
      visitJumpInsn(Opcodes.IFNULL, notOurs);
      if (!peeks) {
        visitInsn(Opcodes.DUP);
        visitTypeInsn(Opcodes.INSTANCEOF, type.getReturnType().getInternalName());
        visitJumpInsn(Opcodes.IFEQ, otherConf);
        visitTypeInsn(Opcodes.CHECKCAST, type.getReturnType().getInternalName());
      }
      visitInsn(Opcodes.ARETURN);
      if (!peeks) {
        visitLabel(otherConf);
        frame(OBJECT);
        visitTypeInsn(Opcodes.CHECKCAST, Type.getType(CONF).getInternalName());
        visitVarInsn(Opcodes.ASTORE, 0);
        visitJumpInsn(Opcodes.GOTO, stock);
      }

      if (peeks) {
        visitLabel(unlinked); // nothing of the meta block has been read
        frame(LINKAGE_ERROR);
        passOver(stock);
      }
      visitLabel(failed);
      frame(THROWABLE);
      if (peeks) { // some of it has: stock code would take the rest for the whole
        String same = "(L" + THROWABLE + ";)L" + THROWABLE + ";";
        visitMethodInsn(Opcodes.INVOKESTATIC, FAILURES, "refusal", same, false);
        visitInsn(Opcodes.ATHROW);
      } else {
        passOver(stock);
      }

      visitLabel(notOurs);
      frame(peeks ? type.getReturnType().getInternalName() : OBJECT);
      visitInsn(Opcodes.POP);
      visitLabel(stock);
      visitFrame(Opcodes.F_SAME, 0, null, 0, null);
      visitInsn(Opcodes.NOP); // keeps this frame apart from one at stock's first instruction
    }

    /**
     * Returns the descriptor of the hook that a woven method calls: a hook that may return a
     * configuration returns an object.
     */
    private String hookDescriptor() {
      String today = today(type.getDescriptor());
      return peeks ? today : today.substring(0, today.indexOf(')') + 1) + "L" + OBJECT + ";";
    }

    private void passOver(Label stock) {
      String descriptor = "(L" + THROWABLE + ";)V";
      String name = peeks ? "passedOverRead" : "passedOver";
      visitMethodInsn(Opcodes.INVOKESTATIC, FAILURES, name, descriptor, false);
      visitJumpInsn(Opcodes.GOTO, stock);
    }

    /**
     * Writes a stack-map frame in which the local variables are the method's arguments, and one
     * object is on the stack.
     */
    private void frame(String onStack) {
      visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {onStack});
    }
  }
}

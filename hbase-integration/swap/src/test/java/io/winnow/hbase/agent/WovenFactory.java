package io.winnow.hbase.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Has this JVM's {@code BloomFilterFactory}, its {@code StoreFileScanner}, {@code StoreFileReader}
 * and {@code HFileWriterImpl}, its {@code StoreScanner} and {@code RegionScannerImpl}, what flushes
 * and compacts, and the classes for settings woven as the agent would, without an agent: the woven
 * bytes are defined before anyone loads the classes.
 */
public final class WovenFactory {
  private static final String FAILURES = "HookFailures";

  static {
    try {
      define(BloomFilterUtil.class, new BloomFilterFactoryWeaver().weave(stockBytes()));
      define(BloomFilterUtil.class, woven("TableDescriptorChecker"));
      define(BloomType.class, woven("StoreUtils"));
      define(
          BloomType.class,
          new StoreFileScannerWeaver().weave(stockBytes(StoreFileScannerWeaver.TARGET)));
      define(BloomType.class, woven("StoreFileReader"));
      define(HFile.class, new HFileWriterWeaver().weave(stockBytes(HFileWriterWeaver.TARGET)));
      define(BloomType.class, woven("StoreScanner"));
      define(BloomType.class, woven("RegionScannerImpl"));
      define(BloomType.class, woven("StoreEngine"));
      define(CompactionProgress.class, woven("Compactor"));
    } catch (IllegalAccessException e) {
      throw new LinkageError("cannot define the woven class", e);
    }
  }

  private WovenFactory() {}

  /** Makes sure that it is so; to be called before any test touches a store file. */
  public static void install() {}

  private static void define(Class<?> inItsPackage, byte[] woven) throws IllegalAccessException {
    MethodHandles.privateLookupIn(inItsPackage, MethodHandles.lookup()).defineClass(woven);
  }

  /** The row of the table that has this class. */
  static WovenClass row(String simpleName) {
    return WovenClass.ALL.stream()
        .filter(row -> row.simpleName().equals(simpleName))
        .findAny()
        .orElseThrow();
  }

  /** The files of the swap's own packages below the root of all classes. */
  static Stream<Path> ofTheSwap(Path classes) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String name : List.of("", "settings", "format", "read", "write", "hooks", "metrics")) {
      try (Stream<Path> inIt = Files.list(classes.resolve("io/winnow/hbase").resolve(name))) {
        inIt.forEach(files::add);
      }
    }
    return files.stream();
  }

  static WovenClass rowOf(String target) {
    return WovenClass.ALL.stream()
        .filter(row -> row.target().equals(target))
        .findAny()
        .orElseThrow();
  }

  private static byte[] woven(String simpleName) {
    WovenClass row = row(simpleName);
    return row.weaver.weave(stockBytes(row.target()));
  }

  static byte[] stockBytes() {
    return stockBytes(BloomFilterFactoryWeaver.TARGET);
  }

  static byte[] stockBytes(String internalName) {
    String resource = internalName + ".class";
    try (InputStream in = WovenFactory.class.getClassLoader().getResourceAsStream(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The hooks that are called, also through a guard, each with the method that calls it. */
  static List<String> hooks(byte[] classFile) {
    List<String> hooks = new ArrayList<>();
    new ClassReader(classFile)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String method, String type, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String name, String type, boolean isInterface) {
                    boolean ours = owner.startsWith("io/winnow/") && !owner.endsWith(FAILURES);
                    if (ours || name.startsWith("winnow$")) {
                      hooks.add(method + ": " + name);
                    }
                  }
                };
              }
            },
            0);
    return hooks;
  }
}

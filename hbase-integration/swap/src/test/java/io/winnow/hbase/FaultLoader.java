package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.agent.WovenFactory;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A class loader that loads everything anew, with seeds that are not drawn, and our classes so that
 * each of their calls is a place where a test can have something thrown in the callee's stead
 * ({@link FaultPoint}).
 */
public final class FaultLoader extends URLClassLoader {
  private static final String OURS = "io.winnow.hbase.";
  private static final String POINT = "io/winnow/hbase/FaultPoint";

  /** What runs when something has failed already: it may not fail again. */
  private static final Set<String> HANDLERS =
      Set.of("abandon", "inDoubt", "failed", "unusable", "discard");

  /** The packages of the swap: all but the agent, and what counts. */
  private static final Set<String> PACKAGES =
      Set.of("settings", "format", "read", "write", "hooks");

  /** What draws seeds: without a fault two runs are to give the same answers. */
  private static final Set<String> DRAWING =
      Set.of("io.winnow.ribbon.RibbonSizing", "io.winnow.KeyHash");

  private static final String RANDOM = "java/security/SecureRandom";

  private final boolean hasFaults;
  private int calls;

  private FaultLoader(boolean hasFaults) throws MalformedURLException {
    super(classPath(), ClassLoader.getPlatformClassLoader());
    this.hasFaults = hasFaults;
  }

  /**
   * Calls {@code run} of the class, in this loader; fails if it reports a problem.
   *
   * @param drive a class with a method {@code String[] run(String directory)}: the number of faults
   *     tried, and after it whatever went wrong
   * @return the number of faults
   */
  static int faultsOf(Class<?> drive, Path directory) throws Exception {
    return Integer.parseInt(run(new FaultLoader(true), drive, directory));
  }

  /**
   * As {@link #faultsOf}, without faults: two filters of the same keys and rate are the same bytes,
   * so that they can be compared exactly.
   *
   * @return the first word that the class reports
   */
  public static String withSteadySeeds(Class<?> drive, Path directory) throws Exception {
    return run(new FaultLoader(false), drive, directory);
  }

  private static String run(FaultLoader loader, Class<?> drive, Path directory) throws Exception {
    Class.forName(WovenFactory.class.getName(), true, loader); // before HBase's classes are loaded
    Method run = loader.loadClass(drive.getName()).getDeclaredMethod("run", String.class);
    run.setAccessible(true);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      String[] results = (String[]) run.invoke(null, directory.toString());
      assertEquals(List.of(), List.of(results).subList(1, results.length));
      return results[0];
    } catch (InvocationTargetException e) {
      throw new AssertionError(e.getCause());
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL[] classPath() throws MalformedURLException {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> urls = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator)) {
      urls.add(new File(entry).toURI().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    URL resource = findResource(name.replace('.', '/') + ".class");
    boolean draws = DRAWING.contains(name);
    if (resource == null || !(draws || hasFaults && isWoven(name, resource))) {
      return super.findClass(name);
    }
    try (InputStream in = resource.openStream()) {
      byte[] woven = draws ? withSteadySeeds(in.readAllBytes()) : weave(in.readAllBytes());
      return defineClass(name, woven, 0, woven.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** The packages of the swap, but for their tests. */
  private static boolean isWoven(String name, URL resource) {
    if (!name.startsWith(OURS) || resource.getPath().contains("/test-classes/")) {
      return false;
    }
    int end = name.indexOf('.', OURS.length());
    return end < 0 || PACKAGES.contains(name.substring(OURS.length(), end));
  }

  private byte[] weave(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
            boolean bridge = (access & Opcodes.ACC_BRIDGE) != 0;
            if (bridge || HANDLERS.contains(name) || name.equals("<clinit>")) {
              return next;
            }
            return new Weaver(next, reader.getClassName() + "." + name);
          }
        },
        0);
    return writer.toByteArray();
  }

  /** Has it draw the same numbers in each run. */
  public static final class SteadyRandom extends SecureRandom {
    private static final long serialVersionUID = 1;

    @Override
    public int nextInt() {
      return 7;
    }

    @Override
    public long nextLong() {
      return 7;
    }
  }

  private static byte[] withSteadySeeds(byte[] classFile) {
    ClassWriter writer = new ClassWriter(0);
    String steady = Type.getInternalName(SteadyRandom.class);
    ClassVisitor visitor =
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(
                Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, thrown)) {
              @Override
              public void visitTypeInsn(int opcode, String type) {
                super.visitTypeInsn(opcode, type.equals(RANDOM) ? steady : type);
              }

              @Override
              public void visitMethodInsn(
                  int opcode, String owner, String name, String descriptor, boolean isInterface) {
                boolean isMade = owner.equals(RANDOM) && name.equals("<init>");
                super.visitMethodInsn(
                    opcode, isMade ? steady : owner, name, descriptor, isInterface);
              }
            };
          }
        };
    new ClassReader(classFile).accept(visitor, 0);
    return writer.toByteArray();
  }

  private final class Weaver extends MethodVisitor {
    private final String method;

    Weaver(MethodVisitor next, String method) {
      super(Opcodes.ASM9, next);
      this.method = method;
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (!HANDLERS.contains(name) && !isOwnDoor(owner, name)) {
        int number = calls++;
        super.visitLdcInsn(number);
        super.visitLdcInsn(
            method + " calls " + Type.getObjectType(owner).getClassName() + "." + name);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, POINT, "pass", "(ILjava/lang/String;)V", false);
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    /** One method that HBase calls passing on to another one: faults are tried inside that. */
    private boolean isOwnDoor(String owner, String name) {
      return (owner.endsWith("WinnowChunkWriter") && name.equals("append"))
          || (owner.endsWith("WinnowFilterReader") && name.equals("contains"));
    }
  }
}

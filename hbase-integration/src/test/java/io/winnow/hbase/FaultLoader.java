package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
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
 * A class loader that loads everything anew, and our classes so that each of their calls is a place
 * where a test can have something thrown in the callee's stead ({@link FaultPoint}).
 */
final class FaultLoader extends URLClassLoader {
  private static final String OURS = "io.winnow.hbase.";
  private static final String POINT = "io/winnow/hbase/FaultPoint";

  /** What runs when something has failed already: it may not fail again. */
  private static final Set<String> HANDLERS =
      Set.of("abandon", "inDoubt", "failed", "unusable", "discard");

  /** What runs in HBase's reads of single rows, beside the swap. */
  private static final Set<String> COUNTING =
      Set.of(OURS + "metrics.AnswerHooks", OURS + "metrics.PositiveAnswer");

  private int calls;

  private FaultLoader() throws MalformedURLException {
    super(classPath(), ClassLoader.getPlatformClassLoader());
  }

  /**
   * Calls {@code run} of the class, in this loader; fails if it reports a problem.
   *
   * @param drive a class with a method {@code String[] run(String directory)}: the number of faults
   *     tried, and after it whatever went wrong
   * @return the number of faults
   */
  static int faultsOf(Class<?> drive, Path directory) throws Exception {
    FaultLoader loader = new FaultLoader();
    Method run = loader.loadClass(drive.getName()).getDeclaredMethod("run", String.class);
    run.setAccessible(true);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      String[] results = (String[]) run.invoke(null, directory.toString());
      assertEquals(List.of(), List.of(results).subList(1, results.length));
      return Integer.parseInt(results[0]);
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
    if (resource == null || !isWoven(name, resource)) {
      return super.findClass(name);
    }
    try (InputStream in = resource.openStream()) {
      byte[] woven = weave(in.readAllBytes());
      return defineClass(name, woven, 0, woven.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** The package of the swap, but for its tests, and what counts answers. */
  private static boolean isWoven(String name, URL resource) {
    return ((name.startsWith(OURS) && name.indexOf('.', OURS.length()) < 0)
            || COUNTING.contains(name))
        && !resource.getPath().contains("/test-classes/");
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

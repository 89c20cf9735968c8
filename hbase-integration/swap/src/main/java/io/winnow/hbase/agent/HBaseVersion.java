package io.winnow.hbase.agent;

import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The version of the hbase-server on a class path, read from its jar. A call of HBase's own method
 * would start HBase's logging, and return the version of hbase-common.
 */
final class HBaseVersion {
  private static final String SERVER = BloomFilterFactoryWeaver.TARGET + ".class";
  private static final String HOLDER = "org/apache/hadoop/hbase/Version";
  static final String UNKNOWN = "of an unknown version";
  private static final Pattern FILE = Pattern.compile("hbase-server-(\\d.*)\\.jar");

  private HBaseVersion() {}

  /**
   * Returns the version of hbase-server, such as "2.6.4-hadoop3", from its jar's manifest, or else
   * from the jar's name, or else from hbase-common; "of an unknown version" if none has it.
   */
  static String in(ClassLoader hbase) {
    try {
      URL url = hbase.getResource(SERVER);
      URLConnection connection = url == null ? null : url.openConnection();
      if (connection instanceof JarURLConnection) {
        connection.setUseCaches(false);
        try (JarFile jar = ((JarURLConnection) connection).getJarFile()) {
          Manifest manifest = jar.getManifest();
          String version =
              manifest == null
                  ? null
                  : manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
          Matcher file = FILE.matcher(new File(jar.getName()).getName());
          if (version != null) {
            return version;
          }
          if (file.matches()) {
            return file.group(1);
          }
        }
      }
    } catch (IOException | RuntimeException e) { // only a message needs it
    }
    return ofCommon(ClassFiles.of(hbase));
  }

  /** Returns the version of hbase-common on a class path. */
  static String ofCommon(ClassFiles hbase) {
    String[] found = {UNKNOWN};
    try {
      byte[] classFile = hbase.find(HOLDER);
      if (classFile != null) {
        new ClassReader(classFile).accept(new Finder(found), ClassReader.SKIP_DEBUG);
      }
    } catch (IOException | RuntimeException e) { // only a message needs it
    }
    return found[0];
  }

  /**
   * Finder of a version in a class file, as a constant or as {@code version = new
   * String("2.6.4-hadoop3")} in an initialiser.
   */
  private static final class Finder extends ClassVisitor {
    private final String[] found;

    Finder(String[] found) {
      super(Opcodes.ASM9);
      this.found = found;
    }

    @Override
    public FieldVisitor visitField(int access, String name, String type, String s, Object value) {
      if (name.equals("version") && value instanceof String) {
        found[0] = (String) value;
      }
      return null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String type, String s, String[] t) {
      return new MethodVisitor(Opcodes.ASM9) {
        private String last;

        @Override
        public void visitLdcInsn(Object value) {
          last = value instanceof String ? (String) value : null;
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
          if (opcode == Opcodes.PUTSTATIC && field.equals("version") && last != null) {
            found[0] = last;
          }
        }
      };
    }
  }
}

package io.winnow.hbase.agent;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The contents of a class file: the supertypes, methods and fields of the class, and the members of
 * other classes that it uses.
 */
final class ClassShape {
  /** Offset in a class file of its minor and major version, 16 bits each. */
  private static final int VERSION_OFFSET = 4;

  /** The bytes of a class file. */
  final byte[] classFile;

  private final ClassReader reader;

  /**
   * The internal names of the superclass in a class file, if there is one, and then of the
   * interfaces.
   */
  final List<String> supertypes = new ArrayList<>();

  /**
   * Access flags of the methods and fields in a class file, by name and descriptor; null until
   * needed, which is seldom for Winnow's own classes.
   */
  private Map<String, Integer> members;

  /** Names of the classes that a class file refers to; null until needed. */
  private List<String> classes;

  /**
   * Reads a class file of the JDK, which may be newer than the library that reads class files.
   * Supertypes and members have stood in the same place in all versions so far, so the version is
   * not checked.
   */
  static ClassShape ofJdk(byte[] classFile) {
    byte[] asJava17 = classFile.clone();
    ByteBuffer.wrap(asJava17).putInt(VERSION_OFFSET, Opcodes.V17);
    return new ClassShape(asJava17);
  }

  ClassShape(byte[] classFile) {
    this.classFile = classFile;
    reader = new ClassReader(classFile);
    if (reader.getSuperName() != null) {
      supertypes.add(reader.getSuperName());
    }
    supertypes.addAll(List.of(reader.getInterfaces()));
  }

  /** Returns the internal name of the class that a class file defines. */
  String name() {
    return reader.getClassName();
  }

  /** Shows the class file to a visitor, without debug information and frames. */
  void show(ClassVisitor visitor) {
    reader.accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** Returns true if the class that a class file defines has one of the given access flags. */
  boolean is(int accessFlag) {
    return (reader.getAccess() & accessFlag) != 0;
  }

  /**
   * Returns the access flags of the methods and fields in a class file by name and descriptor; only
   * a method's descriptor has parentheses.
   */
  Map<String, Integer> members() {
    if (members == null) {
      members = readMembers();
    }
    return members;
  }

  private Map<String, Integer> readMembers() {
    Map<String, Integer> members = new HashMap<>();
    char[] buffer = new char[reader.getMaxStringLength()];
    int at = reader.header + 6; // behind access flags, the class and its superclass
    at += 2 + 2 * reader.readUnsignedShort(at); // interfaces
    for (int table = 0; table < 2; table++) { // fields, and methods
      int count = reader.readUnsignedShort(at);
      at += 2;
      for (int i = 0; i < count; i++) {
        String member = reader.readUTF8(at + 2, buffer) + reader.readUTF8(at + 4, buffer);
        members.put(member, reader.readUnsignedShort(at));
        int attributes = reader.readUnsignedShort(at + 6);
        at += 8;
        for (int j = 0; j < attributes; j++) {
          at += 6 + reader.readInt(at + 2);
        }
      }
    }
    return members;
  }

  /** A method or field of any class that a class file refers to. */
  static final class Use {
    final String owner;
    final boolean ofInterface;
    final String name;
    final String descriptor;

    Use(String owner, boolean ofInterface, String name, String descriptor) {
      this.owner = owner;
      this.ofInterface = ofInterface;
      this.name = name;
      this.descriptor = descriptor;
    }

    boolean isOfMethod() {
      return descriptor.startsWith("(");
    }
  }

  /**
   * Returns the names of all classes in the class file's constant pool, which the JVM may have to
   * load for this class.
   */
  List<String> classes() {
    if (classes == null) {
      classes = new ArrayList<>();
      char[] buffer = new char[reader.getMaxStringLength()];
      for (int i = 1; i < reader.getItemCount(); i++) {
        if (tag(i) == 7) {
          classes.add(reader.readUTF8(reader.getItem(i), buffer));
        }
      }
    }
    return classes;
  }

  /**
   * Returns all methods and fields in the class file's constant pool, which the JVM may have to
   * link for this class.
   */
  List<Use> uses() {
    List<Use> uses = new ArrayList<>();
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int tag = tag(i);
      if (tag >= 9 && tag <= 11) { // a field, a method, one of an interface
        int offset = reader.getItem(i);
        int nameAndType = reader.getItem(reader.readUnsignedShort(offset + 2));
        uses.add(
            new Use(
                reader.readClass(offset, buffer),
                tag == 11,
                reader.readUTF8(nameAndType, buffer),
                reader.readUTF8(nameAndType + 2, buffer)));
      }
    }
    return uses;
  }

  /**
   * Returns the tag of an entry of the class file's constant pool; 0 for the second half of a
   * double entry.
   */
  private int tag(int item) {
    int offset = reader.getItem(item);
    return offset == 0 ? 0 : reader.readByte(offset - 1);
  }
}

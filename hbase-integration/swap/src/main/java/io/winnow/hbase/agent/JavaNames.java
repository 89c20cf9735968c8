package io.winnow.hbase.agent;

import org.objectweb.asm.Type;

/** Names of classes and methods as Java code has them, from the names in class files. */
final class JavaNames {
  private JavaNames() {}

  /** Returns the name of a class with its package, from its internal name. */
  static String ofClass(String internalName) {
    return internalName.replace('/', '.').replace('$', '.');
  }

  /** Returns the name of a class without its package. */
  static String simple(Type type) {
    String name = type.getClassName();
    return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
  }

  /**
   * Returns a method in words, such as {@code BloomFilter createFromMeta(DataInput, HFile.Reader)}.
   */
  static String ofMethod(String name, String descriptor) {
    Type type = Type.getMethodType(descriptor);
    StringBuilder text = new StringBuilder(simple(type.getReturnType())).append(' ');
    text.append(name).append('(');
    String separator = "";
    for (Type argument : type.getArgumentTypes()) {
      text.append(separator).append(simple(argument));
      separator = ", ";
    }
    return text.append(')').toString();
  }
}

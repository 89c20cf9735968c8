package io.winnow.hbase.agent;

/** Changes one class of HBase. Immutable. */
abstract class Weaver {
  private final String target;

  /**
   * @param target the internal name of the class
   */
  Weaver(String target) {
    this.target = target;
  }

  /** The internal name of the class. */
  final String target() {
    return target;
  }

  /** What is wrong with a class file for weaving, in words; null if nothing is. */
  final String problemWith(byte[] classFile) {
    try {
      return problemWith(new ClassShape(classFile));
    } catch (RuntimeException e) {
      return unknown(e);
    }
  }

  /** The same, of a class file that has been read; it may throw where that is none. */
  final String problemWith(ClassShape shape) {
    return shape.name().equals(target)
        ? problemIn(shape)
        : "it calls itself " + shape.name().replace('/', '.');
  }

  /** What is wrong with a class file that cannot be read, in words. */
  static String unknown(RuntimeException e) {
    return "it is not a class file of a version known here (" + e + ")";
  }

  /** What is wrong with a class of the right name; it may throw where that is no class file. */
  abstract String problemIn(ClassShape shape);

  /**
   * The woven class file of one in which {@link #problemWith(byte[])} has found nothing; null if it
   * is to stay as it is.
   */
  abstract byte[] weave(byte[] classFile);
}

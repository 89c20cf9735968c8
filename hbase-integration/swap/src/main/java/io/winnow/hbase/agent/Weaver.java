package io.winnow.hbase.agent;

/** A change of the class file of one class of HBase. Immutable. */
abstract class Weaver {

  /** The internal name of the class that is woven. */
  final String target;

  /**
   * Creates a weaver of one class of HBase.
   *
   * @param target the internal name of the class
   */
  Weaver(String target) {
    this.target = target;
  }

  /** Returns the reason why a class file cannot be woven, in words; null if it can. */
  final String problemWith(byte[] classFile) {
    try {
      return problemWith(new ClassShape(classFile));
    } catch (RuntimeException e) {
      return unknown(e);
    }
  }

  /**
   * Returns the reason why a class file that was read cannot be woven, in words; null if it can.
   *
   * @throws RuntimeException if its bytes are no class file
   */
  final String problemWith(ClassShape shape) {
    return shape.name().equals(target)
        ? problemIn(shape)
        : "it calls itself " + shape.name().replace('/', '.');
  }

  /** Returns the problem of a class file that cannot be read, in words. */
  static String unknown(RuntimeException e) {
    return "it is not a class file of a version known here (" + e + ")";
  }

  /**
   * Returns the reason why a class of HBase with the right name cannot be woven; null if it can.
   *
   * @throws RuntimeException if its bytes are no class file
   */
  abstract String problemIn(ClassShape shape);

  /**
   * Returns the woven class file, or null if the class file is not changed.
   *
   * @param classFile one in which {@link #problemWith(byte[])} has found nothing
   */
  abstract byte[] weave(byte[] classFile);
}

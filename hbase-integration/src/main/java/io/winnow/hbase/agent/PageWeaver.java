package io.winnow.hbase.agent;

import org.objectweb.asm.Opcodes;

/**
 * Has a region server put up our page with its own ones, by a call in front.
 *
 * <pre>
 *   configureInfoServer() {                                      HBase 2
 *   configureInfoServer(infoServer) {                            HBase 3
 *     PageHooks.putsUpPages(this);
 *     ...stock...
 * </pre>
 */
final class PageWeaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/";

  /** The internal name of the class to weave. */
  static final String TARGET = PACKAGE + "regionserver/HRegionServer";

  private static final CallsInFront OF_2 = callIn("configureInfoServer()V");
  private static final CallsInFront OF_3 =
      callIn("configureInfoServer(L" + PACKAGE + "http/InfoServer;)V");

  private PageWeaver() {}

  private static CallsInFront callIn(String method) {
    return CallsInFront.of(
        TARGET,
        new CallsInFront.Call(
            false,
            method,
            code -> {
              code.visitVarInsn(Opcodes.ALOAD, 0);
              code.visitMethodInsn(
                  Opcodes.INVOKESTATIC,
                  "io/winnow/hbase/page/PageHooks",
                  "putsUpPages",
                  "(L" + TARGET + ";)V",
                  false);
            }));
  }

  private static CallsInFront callFor(byte[] classFile) {
    return OF_3.problemWith(classFile) == null ? OF_3 : OF_2;
  }

  /** What is wrong with the class for weaving, in words; null if nothing is. */
  static String problemWith(byte[] classFile) {
    return callFor(classFile).problemWith(classFile);
  }

  /** The class with the call; {@link #problemWith} must have found nothing. */
  static byte[] weave(byte[] classFile) {
    return callFor(classFile).weave(classFile);
  }
}

package io.winnow.hbase.agent;

import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Weaver that puts a link to the page {@code /winnow} into the navigation bar of the region
 * server's own web pages, by extending a text in a page's class.
 *
 * <pre>{@code
 * write("...<li><a href=/dump>Debug Dump</a></li>...");
 * write("...<li><a href=/dump>Debug Dump</a></li><li><a href=/winnow>Winnow</a></li>...");
 * }</pre>
 *
 * <p>No code is added, so our code cannot fail while HBase shows a page.
 */
final class PageLinkWeaver extends Weaver {
  private static final String PACKAGE = "org/apache/hadoop/hbase/";

  /** Internal name of the class of HBase 2's web page {@code /rs-status}. */
  static final String STATUS_OF_2 = PACKAGE + "tmpl/regionserver/RSStatusTmplImpl";

  /**
   * Internal name of the class of the navigation bar on HBase's other web pages, and in HBase 3 on
   * all pages.
   */
  static final String BAR = PACKAGE + "generated/regionserver/header_jsp";

  private static final Set<String> TARGETS = Set.of(STATUS_OF_2, BAR);

  private static final String NEIGHBOUR = "href=\"/dump\">Debug Dump</a></li>";
  private static final String LINK =
      "<li class=\"nav-item\"><a class=\"nav-link\" href=\"/winnow\">Winnow</a></li>";

  /**
   * Creates the weaver of the class of a web page or of a navigation bar.
   *
   * @param target the internal name of its class
   */
  PageLinkWeaver(String target) {
    super(target);
  }

  /** Returns true if a class makes a web page or a navigation bar to which a link is added. */
  static boolean isTarget(String internalName) {
    return TARGETS.contains(internalName);
  }

  @Override
  String problemIn(ClassShape shape) {
    int neighbours = neighbours(shape);
    return neighbours == 1
        ? null
        : "it has " + neighbours + " links to the debug dump, and not one to stand beside";
  }

  private static int neighbours(ClassShape shape) {
    AtomicInteger found = new AtomicInteger();
    shape.show(
        new ClassVisitor(Opcodes.ASM9) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
              @Override
              public void visitLdcInsn(Object value) {
                if (value instanceof String && ((String) value).contains(NEIGHBOUR)) {
                  found.incrementAndGet();
                }
              }
            };
          }
        });
    return found.get();
  }

  @Override
  byte[] weave(byte[] classFile) {
    return MethodWeaver.weave(
        classFile,
        (access, method, own) ->
            new MethodVisitor(Opcodes.ASM9, own) {
              @Override
              public void visitLdcInsn(Object value) {
                super.visitLdcInsn(
                    value instanceof String
                        ? ((String) value).replace(NEIGHBOUR, NEIGHBOUR + LINK)
                        : value);
              }
            });
  }
}

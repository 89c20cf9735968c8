package io.winnow.hbase.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * Silence of a command after Ctrl-C: nothing more is printed during shutdown. While the JVM shuts
 * down, running threads see servers, other JVMs and directories vanish, and would report errors.
 * Output from before stays.
 */
public final class QuietEnd {
  private QuietEnd() {}

  /**
   * Wraps {@link System#out} and {@link System#err} so that they discard output once the JVM shuts
   * down. Each command calls it first, and so does each JVM whose output a command passes on: code
   * that took the streams before would keep writing.
   */
  public static void install() {
    System.setErr(untilTheEnd(System.err));
    System.setOut(untilTheEnd(System.out));
  }

  /**
   * Returns whether this JVM shuts down. A shutdown hook of our own could report it too late: hooks
   * run at the same time, and another one may have killed a server before.
   */
  public static boolean isEnding() {
    Thread hook = new Thread("winnow-quiet-end"); // does nothing if it is run
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private static PrintStream untilTheEnd(PrintStream stream) {
    OutputStream untilTheEnd =
        new OutputStream() {
          @Override
          public void write(int b) {
            if (!isEnding()) {
              stream.write(b);
            }
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (!isEnding()) {
              stream.write(bytes, offset, length);
            }
          }

          @Override
          public void flush() {
            stream.flush();
          }
        };
    return new PrintStream(untilTheEnd, true, Charset.defaultCharset());
  }
}

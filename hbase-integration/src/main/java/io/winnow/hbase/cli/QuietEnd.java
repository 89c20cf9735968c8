package io.winnow.hbase.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C ends a command without a word. While the JVM goes down, what still runs sees servers and
 * directories vanish and complains: from the first moment of the end nothing more is written to
 * standard error. What was said before stands.
 */
public final class QuietEnd {
  private QuietEnd() {}

  /** To be called first of all: who takes {@link System#err} before, writes on. */
  public static void install() {
    AtomicBoolean ending = new AtomicBoolean();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> ending.set(true), "winnow-quiet-end"));
    PrintStream err = System.err;
    OutputStream untilTheEnd =
        new OutputStream() {
          @Override
          public void write(int b) {
            if (!ending.get()) {
              err.write(b);
            }
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (!ending.get()) {
              err.write(bytes, offset, length);
            }
          }

          @Override
          public void flush() {
            err.flush();
          }
        };
    System.setErr(new PrintStream(untilTheEnd, true, Charset.defaultCharset()));
  }
}

package io.winnow.hbase.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C ends a command without a word. While the JVM goes down, what still runs sees servers,
 * other JVMs and directories vanish and complains: from the first moment of the end nothing more is
 * written. What was said before stands.
 */
public final class QuietEnd {
  private QuietEnd() {}

  /**
   * To be called first of all, by each command and by each JVM that it starts and whose words it
   * passes on: who takes {@link System#err} or {@link System#out} before, writes on.
   */
  public static void install() {
    AtomicBoolean ending = new AtomicBoolean();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> ending.set(true), "winnow-quiet-end"));
    System.setErr(untilTheEnd(System.err, ending));
    System.setOut(untilTheEnd(System.out, ending));
  }

  private static PrintStream untilTheEnd(PrintStream stream, AtomicBoolean ending) {
    OutputStream untilTheEnd =
        new OutputStream() {
          @Override
          public void write(int b) {
            if (!ending.get()) {
              stream.write(b);
            }
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (!ending.get()) {
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

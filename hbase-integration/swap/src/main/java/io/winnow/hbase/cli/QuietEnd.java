package io.winnow.hbase.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.concurrent.atomic.AtomicBoolean;

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

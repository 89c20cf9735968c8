package io.winnow.hbase.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * What a command prints for {@code --help}: a text file beside this class, in {@code help/}. The
 * launcher prints the same file, without a build and without Java.
 */
public final class Help {
  private Help() {}

  /** The text of a command, without its last line's end. */
  public static String of(String command) {
    try (InputStream in = Help.class.getResourceAsStream("help/" + command + ".txt")) {
      if (in == null) {
        throw new IllegalArgumentException("there is no help for " + command);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

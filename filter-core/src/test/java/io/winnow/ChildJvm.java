package io.winnow;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own, to be killed, and a file in which it keeps how far it has come. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Starts a class of the tests. What it prints as errors, the tests print. */
  public static Process start(Class<?> main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** So many numbers in a mapped file, which a kill does not take away. */
  public static ByteBuffer progress(Path file, int numbers) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel
          .map(FileChannel.MapMode.READ_WRITE, 0, (long) numbers * Long.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN);
    }
  }
}

package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuietEndTest {
  @TempDir Path directory;

  /** Complains for ever, and once more when it ends. */
  public static final class Complainer {
    private Complainer() {}

    public static void main(String[] args) throws Exception {
      QuietEnd.install();
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      TimeUnit.SECONDS.sleep(1); // as long as a server takes to be killed
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                    System.err.println("after the end");
                    new Throwable().printStackTrace();
                  }));
      System.err.println("up");
      TimeUnit.MINUTES.sleep(5);
    }
  }

  @Test
  void nothingIsSaidAfterASignal() throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Complainer.class.getName()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      for (int i = 0; i < 1200 && !Files.readString(output).contains("up"); i++) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      process.destroy();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals("up\n", Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }
}

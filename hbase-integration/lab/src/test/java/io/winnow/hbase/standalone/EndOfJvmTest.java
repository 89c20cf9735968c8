package io.winnow.hbase.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.QuietEnd;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order of the steps at the end of a JVM. */
class EndOfJvmTest {
  @TempDir Path directory;

  /** A program that is ended while it starts a server in a directory that it has made. */
  public static final class Ended {
    private Ended() {}

    public static void main(String[] args) throws Exception {
      EndOfJvm.before(
          () -> {
            EndOfJvm.add(Ended::deleteDirectory);
            return null;
          });
      EndOfJvm.before(
          () -> {
            new Thread(() -> System.exit(0)).start();
            while (!QuietEnd.isEnding()) {
              Thread.onSpinWait();
            }
            System.out.println("server starts");
            EndOfJvm.add(() -> System.out.println("server ends"));
            return null;
          });
      TimeUnit.HOURS.sleep(1);
    }

    private static void deleteDirectory() {
      System.out.println("directory is deleted");
      try {
        EndOfJvm.before(() -> System.out.append("another server starts\n"));
      } catch (Exception e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void serverThatStartsEndsBeforeItsDirectoryIsDeletedAndNoOtherStarts() throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Ended.class.getName()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(10, TimeUnit.MINUTES));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
    assertEquals(
        List.of("server starts", "server ends", "directory is deleted", "this JVM is going down"),
        Files.readAllLines(output));
  }
}

package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class ProgramTest {
  @TempDir Path directory;

  /** Its help is that of another command. */
  @Command(name = "winnow trial")
  private static final class Trial extends Program {
    @Option(names = "--wide")
    boolean wide;

    @Option(names = "--narrow")
    boolean narrow;

    @Option(names = "--rows")
    @Range(min = 2, max = 1e11)
    long rows = 7;

    @Option(names = "--count")
    @Range(min = 0, max = 10)
    Integer count;

    @Option(names = "--share")
    @Range(min = 0, max = 1)
    double share = 1;

    @Option(names = "--dir")
    Path dir;

    @Option(names = "--report", arity = "0..1", fallbackValue = "")
    String report;

    @Override
    protected void check() {
      exclude("wide", "narrow");
    }

    @Override
    protected int work() throws IOException {
      if (rows == 13) {
        throw new IOException("no luck");
      }
      out.print(commandLine());
      return 5;
    }
  }

  /** Fails by a fault of its own, and leaves a thread that does not end, as HBase does. */
  @Command(name = "winnow faulty")
  public static final class Faulty extends Program {
    public static void main(String[] args) {
      main(Faulty::new, args);
    }

    @Override
    protected int work() {
      new Thread(LockSupport::park).start();
      throw new IllegalStateException("a fault");
    }
  }

  @Test
  void aFaultEndsTheProcess() throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Faulty.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(10, TimeUnit.MINUTES), "a thread that was left keeps it alive");
      assertEquals(1, process.exitValue());
      assertTrue(Files.readString(output).contains("a fault"));
    } finally {
      process.destroyForcibly();
    }
  }

  private static String[] words(String line) {
    return line.isEmpty() ? new String[0] : line.split(" ");
  }

  private static Trial read(String line) {
    return Program.read(new Trial(), words(line));
  }

  @Test
  void whatWasGivenIsThereAndWhatWasNotHasItsDefault() {
    Trial given = read("--wide --rows 80e9 --share=0.25 --dir a/../b --report --count 1e1");
    assertTrue(given.wide && !given.narrow);
    assertEquals(80_000_000_000L, given.rows);
    assertEquals(10, given.count);
    assertEquals(0.25, given.share);
    assertEquals(Path.of("b").toAbsolutePath(), given.dir);
    assertEquals("", given.report);
    assertEquals("x.json", read("--report=x.json").report);
    Trial none = read("");
    assertEquals(7, none.rows);
    assertNull(none.count);
    assertNull(none.dir);
    assertNull(none.report);
    assertFalse(none.wide);
  }

  @ParameterizedTest
  @CsvSource({
    "--rows x, --rows x is not a number in 2..100000000000",
    "--rows 1, --rows 1 is not a number in 2..",
    "--rows -5, --rows -5 is not a number in 2..",
    "--rows 1e30, --rows 1e30 is not a number in 2..",
    "--rows NaN, is not a number",
    "--rows 2.5, --rows 2.5 is not a whole number",
    "--count 11, --count 11 is not a number in 0..10",
    "--count 99999999999, --count 99999999999 is not a number in 0..10",
    "--share 1.01, --share 1.01 is not a number in 0..1",
    "--rows, --rows needs a value",
    "--rows --wide, --rows needs a value",
    "--rows 5 --rows 6, --rows is there more than once",
    "--rwos 5, there is no option --rwos; there are --count",
    "more, Unexpected argument: more",
    "--wide --narrow, --wide and --narrow exclude each other",
  })
  void whatIsWrongIsTold(String line, String message) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> read(line));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "--rows 8 --json=x, 64, winnow trial: there is no option --json=x",
    "--rows 8 --wide --narrow, 64, winnow trial: --wide and --narrow exclude each other",
    "--rows 13, 1, winnow trial: no luck",
    "--help, 0, ''",
    "-h, 0, ''",
    "--wide --rows=8 --dir /some/where, 5, ''",
  })
  void whatItReturnsToTheShell(String line, int code, String complaint) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertEquals(
        code, new Trial().run(new PrintStream(out, true), new PrintStream(err, true), words(line)));
    assertTrue(err.toString().startsWith(complaint), err::toString);
    assertEquals(code == 64, err.toString().contains("usage: ./winnow trial"), err::toString);
    assertEquals(code == 0, out.toString().contains("usage: ./winnow trial"), out::toString);
    if (code == 5) {
      assertEquals("./winnow trial --wide --rows 8", out.toString(), "without a directory");
    }
  }
}

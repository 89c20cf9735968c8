package io.winnow.hbase.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each file that cannot be read is named, with what is wrong, in one line and without a trace. */
class HfileTest {
  private static final Path GOLDEN =
      Path.of("src/test/resources/golden/hfile-v1/bumped-ribbon.hfile");

  @TempDir Path directory;

  private record Result(int exitCode, String out, String err) {}

  private static Result run(String... args) throws Exception {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
      System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
      String[] command = Stream.concat(Stream.of("hfile"), Stream.of(args)).toArray(String[]::new);
      int code = Tools.run(HBaseConfiguration.create(), System.out, System.err, command);
      return new Result(
          code,
          outBytes.toString(StandardCharsets.UTF_8),
          errBytes.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static void assertRefused(Path file, String why) throws Exception {
    for (String[] args : new String[][] {{"-m", "-f", "" + file}, {"-p", "" + file}}) {
      Result result = run(args);
      assertEquals(1, result.exitCode, result.err);
      assertEquals(1, result.err.lines().count(), result.err);
      assertTrue(result.err.startsWith("winnow hfile: "), result.err);
      assertTrue(result.err.contains(file + why), result.err);
    }
  }

  private Path file(String name, byte... bytes) throws Exception {
    return Files.write(directory.resolve(name), bytes);
  }

  @Test
  void aStoreFileIsPrinted() throws Exception {
    // Not -m: without the agent HBase knows no filter of ours.
    Result result = run("-v", "-k", "-f", GOLDEN.toAbsolutePath().toString());
    assertEquals(0, result.exitCode, result.err);
    assertTrue(result.out.contains("Scanned kv count -> "), result.out);
  }

  /** Of a file with HBase's own filter. */
  @Test
  void entryOfKeySegmentsIsPrinted() throws Exception {
    Path golden = Path.of("src/test/resources/golden/key-segment-v1/segments.hfile");
    Result result = run("-m", "-f", golden.toAbsolutePath().toString());
    assertEquals(0, result.exitCode, result.err);
    String entry = "WINNOW_KEY_SEGMENT = WSG1\\x01\\x00\\x08\\x00\\x04@";
    assertTrue(result.out.contains(entry), result.out);
  }

  @Test
  void theOtherOnesAreNamed() throws Exception {
    byte[] whole = Files.readAllBytes(GOLDEN);
    assertRefused(file("empty"), " is empty");
    assertRefused(file("three", (byte) 1, (byte) 2, (byte) 3), " is not a store file");
    assertRefused(file("text", "no store file\n".repeat(1000).getBytes()), " is not a store file");
    assertRefused(directory, " is a directory");
    assertRefused(file("cut", Arrays.copyOf(whole, whole.length - 1)), " begins like a store file");
    assertRefused(
        file("half", Arrays.copyOf(whole, whole.length / 2)), " begins like a store file");
    Path missing = directory.resolve("missing");
    Result result = run("-m", "-f", missing.toString());
    assertEquals(1, result.exitCode);
    assertEquals("winnow hfile: there is no file " + missing + "\n", result.err);
  }

  /** A wrong byte in the first data block: its checksum does not fit. */
  @Test
  void aDamagedOneIsNamedWhereItIsRead() throws Exception {
    byte[] bytes = Files.readAllBytes(GOLDEN);
    bytes[100] ^= 1;
    Path file = file("damaged", bytes);
    Result result = run("-p", "-f", file.toString());
    assertEquals(1, result.exitCode, result.err);
    assertTrue(result.err.contains("winnow hfile: " + file + " is damaged: "), result.err);
    assertFalse(result.err.contains("\tat "), result.err);
  }

  @Test
  void wrongOptionsAreRefused() throws Exception {
    for (String[] args : new String[][] {{}, {"-m"}, {"--nosuch"}, {"-f"}, {"-m", "-x", "a"}}) {
      Result result = run(args);
      assertEquals(64, result.exitCode, Arrays.toString(args));
      assertTrue(result.err.contains("usage: winnow hfile"), result.err);
    }
    Result region = run("-r", "nosuch");
    assertEquals(1, region.exitCode, region.err);
    assertTrue(region.err.contains("nosuch is not the name of a region"), region.err);
  }
}

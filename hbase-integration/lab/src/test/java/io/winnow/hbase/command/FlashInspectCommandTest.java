package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.hbase.cli.ProgressLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlashInspectCommandTest {
  private static final int KEYS = 70_000;
  private static final int PAGE_BYTES = 4096;

  @TempDir private Path temporary;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final ByteArrayOutputStream complained = new ByteArrayOutputStream();

  private int inspect(String... arguments) {
    said.reset();
    complained.reset();
    return new FlashInspectCommand()
        .run(
            new PrintStream(said, true, StandardCharsets.UTF_8),
            new PrintStream(complained, true, StandardCharsets.UTF_8),
            arguments);
  }

  private CascadeFilter filter(Path directory) throws IOException {
    CascadeFilter filter =
        CascadeFilter.open(
            directory,
            CascadeOptions.defaults().memoryBudget(1 << 19).fanOut(8).expectedMaximum(1_000_000));
    for (int i = 0; i < KEYS; i++) {
      filter.insert(i);
    }
    filter.awaitMerges();
    filter.sync();
    return filter;
  }

  private static Path level(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("level-"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void itTellsWhatThereIsInAnOpenFilter() throws IOException {
    Path directory = temporary.resolve("seen");
    Path json = temporary.resolve("seen.json");
    try (CascadeFilter filter = filter(directory)) {
      assertEquals(
          0, inspect("--json", json.toString(), directory.toString()), complained::toString);
      JsonNode seen = new ObjectMapper().readTree(json.toFile()).get(0);
      assertEquals(directory.toString(), seen.path("directory").asText());
      assertEquals("xxh3", seen.path("keyHash").asText());
      assertEquals(8, seen.path("fanOut").asInt());
      assertEquals(filter.fingerprintBits(), seen.path("fingerprintBits").asInt());
      assertEquals(
          filter.statistics().get(CascadeCount.MEMORY_CAPACITY),
          seen.path("memoryEntries").asLong());
      assertEquals(
          filter.statistics().get(CascadeCount.FLASH_BYTES), seen.path("bytesOnFlash").asLong());
      assertEquals(KEYS, seen.path("entries").asLong(), 20.0);
      assertEquals(
          filter.statistics().levels().size(), seen.path("levels").size(), seen::toPrettyString);
      assertTrue(seen.path("verified").isNull());
      assertTrue(said.toString().contains("fan-out"), said::toString);
      assertTrue(said.toString().contains("level-"), said::toString);
      assertTrue(said.toString().contains("log-"), said::toString);
    }
  }

  @Test
  void verifyFindsADamagedPage() throws IOException {
    Path directory = temporary.resolve("seen");
    filter(directory).close();
    assertEquals(0, inspect("--verify", directory.toString()), complained::toString);
    assertTrue(said.toString().contains(" 0 damaged"), said::toString);
    Path level = level(directory);
    byte[] bytes = Files.readAllBytes(level);
    bytes[2 * PAGE_BYTES + 500] ^= 1;
    Files.write(level, bytes);
    assertEquals(0, inspect(directory.toString()), "who does not read it does not see it");
    assertEquals(3, inspect("--verify", directory.toString()));
    assertTrue(said.toString().contains("page 2 of " + level), said::toString);
  }

  @Test
  void whatIsNoFilterIsRefusedInASentence() throws IOException {
    Files.createDirectories(temporary.resolve("table")); // of whoever keeps several in one place
    for (Path wrong : List.of(temporary, temporary.resolve("none"))) {
      assertEquals(1, inspect(wrong.toString()));
      assertTrue(complained.toString().contains(wrong.toString()), complained::toString);
      assertEquals(
          1, ProgressLines.withoutProgress(complained.toString()).size(), complained::toString);
    }
    assertEquals(64, inspect());
    assertEquals(64, inspect("--nosuch", "x"));
    assertTrue(complained.toString().contains("usage: "), complained::toString);
    Path directory = temporary.resolve("seen");
    filter(directory).close();
    assertEquals(1, inspect("--json", "/no/such/file", directory.toString()));
    assertFalse(said.toString().contains("level-"), "refused before anything is done");
    assertEquals(0, inspect("--help"));
  }
}

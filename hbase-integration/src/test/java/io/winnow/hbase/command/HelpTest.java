package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class HelpTest {
  private static final Path TEXTS =
      Path.of("src", "main", "resources", "io", "winnow", "hbase", "command", "help");

  /** The launcher prints the file, the command this: they must not differ. */
  @Test
  void itIsTheFileThatTheLauncherPrints() throws Exception {
    try (var files = Files.list(TEXTS)) {
      List<Path> all = files.toList();
      assertTrue(all.size() >= 8, all::toString);
      for (Path file : all) {
        String name = file.getFileName().toString();
        String text = Files.readString(file);
        assertEquals(text, Help.of(name.replace(".txt", "")) + "\n", name);
        assertTrue(text.startsWith("usage: ./winnow " + name.replace(".txt", "")), name);
        assertTrue(text.contains("64 wrong options") || text.contains("--help "), name);
        text.lines().forEach(line -> assertTrue(line.length() <= 110, line));
      }
    }
  }

  @Test
  void aCommandWithoutAHelpIsAMistake() {
    assertThrows(IllegalArgumentException.class, () -> Help.of("nosuch"));
  }
}

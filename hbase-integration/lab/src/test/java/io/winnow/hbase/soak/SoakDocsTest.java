package io.winnow.hbase.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What docs/soak.md shows. */
class SoakDocsTest {
  private static final Path HOME = Path.of("..", "..");

  @Test
  void thePageHasTheFiguresOfTheNewestRun() throws IOException {
    String page = Files.readString(SoakReport.file(HOME));
    assertEquals(SoakReport.renewed(page, HOME), page);
  }
}

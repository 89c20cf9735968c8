package io.winnow.hbase.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.report.MadeAgain;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/soak.md shows. */
class SoakDocsTest {
  private static final Path HOME = Path.of("..", "..");

  /** If not: {@code ./winnow soak --report}. */
  @Test
  void thePageHasTheFiguresOfTheNewestRun(@TempDir Path home) throws IOException {
    assertEquals(1, MadeAgain.compare(HOME, home, () -> SoakReport.renew(home), "soak"));
  }
}

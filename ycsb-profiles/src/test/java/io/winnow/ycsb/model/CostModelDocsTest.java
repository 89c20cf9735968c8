package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What docs/cost-model.md says that the command prints is what it prints. */
class CostModelDocsTest {
  private static final Path HOME = Path.of("..");

  /** If it is not: {@code ./winnow model --report}. */
  @Test
  void thePageShowsWhatTheCommandPrints() throws IOException {
    String page = Files.readString(ModelPage.file(HOME));
    assertEquals(ModelPage.renewed(page), page);
    assertTrue(page.split("\\$ \\./winnow model", -1).length >= 3, "an example each");
  }

  @Test
  void anOtherOutputIsNoticed() {
    String page = "```\n$ ./winnow model --rows 1e9\nnothing\n```\n";
    String renewed = ModelPage.renewed(page);
    assertNotEquals(page, renewed);
    assertTrue(renewed.startsWith("```\n$ ./winnow model --rows 1e9\n1,000,000,000 rows"), renewed);
    assertTrue(renewed.endsWith("\n```\n"), renewed);
  }
}

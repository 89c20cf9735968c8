package io.winnow.hbase.dedup;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The tables of docs/design/cascade-in-server.md are what its formula says. */
class CascadeInServerDocsTest {
  private static final double QUESTION = 0.85;
  private static final double PAGE = 21.6;
  private static final double PAGE_OF_MANY = 4.8;
  private static final int[] FILES = {1, 4, 10, 30};

  @Test
  void tablesAreComputed() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "design", "cascade-in-server.md"));
    for (double block : new double[] {50, 550}) {
      StringBuilder table = new StringBuilder();
      for (int levels = 2; levels <= 4; levels++) {
        rows(table, levels, "one at a time", PAGE, block);
        rows(table, levels, "many at a time", PAGE_OF_MANY, block);
      }
      assertTrue(page.contains("\n" + table + "\n"), table.toString());
    }
  }

  private static void rows(
      StringBuilder table, int levels, String lookups, double page, double block) {
    for (double absent : new double[] {1, 0.5, 0.05}) {
      table.append(
          String.format(Locale.ROOT, "| %d, %s | %.0f %% |", levels, lookups, 100 * absent));
      for (int files : FILES) {
        double misses = (levels * page / (absent * files) - QUESTION) / block;
        table.append(' ').append(text(misses)).append(" |");
      }
      table.append('\n');
    }
  }

  private static String text(double misses) {
    if (misses <= 0 || misses >= 1) {
      return misses <= 0 ? "always" : "never";
    }
    return String.format(Locale.ROOT, misses >= 0.0995 ? "%.0f %%" : "%.1f %%", 100 * misses);
  }
}

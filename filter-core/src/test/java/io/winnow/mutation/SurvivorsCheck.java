package io.winnow.mutation;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The last step of the profile {@code mutation}: each mutant that lives is on the list. */
class SurvivorsCheck {
  private static final Path LIST = Path.of("src/test/pitest/survivors.txt");

  @Test
  void eachSurvivorIsKnown() throws Exception {
    Survivors survivors;
    try (InputStream in =
        Files.newInputStream(Path.of(System.getProperty("winnow.mutation.report")))) {
      survivors = Survivors.of(in);
    }
    List<String> list = Files.readAllLines(LIST);
    System.out.printf("%,d mutants, %,d survived%n", survivors.mutants(), survivors.count());
    assertTrue(survivors.mutants() > 0, "nothing was mutated");
    survivors.killed(list).forEach(line -> System.out.println("killed now? " + line));
    List<String> unknown = survivors.unknown(list);
    if (!unknown.isEmpty()) {
      fail("a test should kill these, or " + LIST + " say why not:\n" + String.join("\n", unknown));
    }
  }
}

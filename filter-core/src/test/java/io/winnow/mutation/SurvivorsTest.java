package io.winnow.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SurvivorsTest {
  private static final String BOUNDARY = "io.winnow.A.find : changed conditional boundary : ";

  /**
   * One mutant was killed; one boundary lives in a method, one in its lambda, one value is free.
   */
  private static Survivors survivors() throws Exception {
    String report =
        "<mutations>"
            + mutation(true, "find", 3, "negated conditional")
            + mutation(false, "find", 4, "changed conditional boundary")
            + mutation(false, "lambda$find$7", 5, "changed conditional boundary")
            + mutation(false, "size", 9, "replaced int return with 0 for io/winnow/A::size")
            + "</mutations>";
    return Survivors.of(new ByteArrayInputStream(report.getBytes(StandardCharsets.UTF_8)));
  }

  private static String mutation(boolean detected, String method, int line, String change) {
    return "<mutation detected='%s'><mutatedClass>io.winnow.A</mutatedClass>".formatted(detected)
        + "<mutatedMethod>%s</mutatedMethod><lineNumber>%d</lineNumber>".formatted(method, line)
        + "<description>%s</description></mutation>".formatted(change);
  }

  @Test
  void survivorsAreCountedByMethodAndChange() throws Exception {
    assertEquals(4, survivors().mutants());
    assertEquals(3, survivors().count());
    assertEquals(
        List.of(
            BOUNDARY + "2 : (lines [4, 5])",
            "io.winnow.A.size : replaced int return with 0 : 1 : (lines [9])"),
        survivors().unknown(List.of()));
  }

  @Test
  void whatIsListedOftenEnoughIsKnown() throws Exception {
    String size = "io.winnow.A.size : replaced int return with 0 : 1 : it is a hint only";
    List<String> all = List.of("# known", "", BOUNDARY + "2 : the same either way", size);
    assertEquals(List.of(), survivors().unknown(all));
    assertEquals(List.of(), survivors().killed(all));

    List<String> tooFew = List.of(BOUNDARY + "1 : the same either way", size);
    assertEquals(List.of(BOUNDARY + "2 : (lines [4, 5])"), survivors().unknown(tooFew));

    List<String> tooMany = List.of(BOUNDARY + "3 : the same either way", size);
    assertEquals(List.of(BOUNDARY + "3, and 2 survived"), survivors().killed(tooMany));

    List<String> ofAnotherClass = List.of(BOUNDARY.replace("A.find", "B.find") + "1 : so");
    assertEquals(List.of(), survivors().killed(ofAnotherClass));
  }

  @Test
  void aLineHasAReasonAndStandsOnce() {
    for (String reason : List.of("", " : ", " :   ")) {
      List<String> list = List.of(BOUNDARY + "2" + reason);
      assertThrows(IllegalArgumentException.class, () -> survivors().unknown(list), reason);
    }
    List<String> twice = List.of(BOUNDARY + "1 : so", BOUNDARY + "1 : so");
    assertThrows(IllegalArgumentException.class, () -> survivors().unknown(twice));
  }
}

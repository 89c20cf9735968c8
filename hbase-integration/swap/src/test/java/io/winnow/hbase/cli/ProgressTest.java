package io.winnow.hbase.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private long nanos = Long.MAX_VALUE - 1_000_000_000; // a clock may pass the largest number

  private Progress counting(String unit) {
    return Progress.counting(out, unit, () -> nanos);
  }

  private List<String> lines() {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void aStepHasALine() {
    try (Progress progress = new Progress(out, 8, () -> nanos)) {
      progress.step(0, "one", "begun");
      progress.step(2, "one", "done");
      progress.step(6, "the rest", "done");
      progress.step(4, "more than was thought", "done");
    }
    assertEquals(4, lines().size(), lines()::toString);
    assertTrue(lines().get(0).matches("\\[\\d+:\\d\\d] one: begun"), lines()::toString);
    assertTrue(
        lines().get(1).matches("\\[ 25 %, \\d+:\\d\\d, \\d+:\\d\\d left] one: done"),
        lines()::toString);
    assertTrue(lines().get(2).startsWith("[100 %, "), lines()::toString);
    assertTrue(lines().get(3).matches("\\[100 %, .*, 0:00 left] more .*"), lines()::toString);
  }

  @Test
  void partsOfAStepHaveALineEveryTwoSeconds() {
    Progress progress = new Progress(out, 10, () -> nanos);
    progress.part(1, "too early");
    nanos += 2_000_000_000;
    progress.part(1, "in time");
    nanos += 1_900_000_000;
    progress.part(1, "too early again");
    progress.step(1, "a step", "done");
    nanos += 1_900_000_000;
    progress.part(1, "too early after a step");
    nanos += 100_000_000;
    progress.part(1, "in time again");
    assertEquals(3, lines().size(), lines()::toString);
    assertEquals("[ 20 %, 0:02, 0:08 left] in time", lines().get(0));
    assertEquals("[ 60 %, 0:06, 0:04 left] in time again", lines().get(2));
  }

  @Test
  void silenceIsBroken() {
    Progress progress = new Progress(out, 10, () -> nanos);
    progress.step(1, "a step", "done");
    nanos += 3_900_000_000L;
    progress.beat();
    assertEquals(1, lines().size(), lines()::toString);
    nanos += 100_000_000;
    progress.beat();
    assertEquals("[ 10 %, 0:04, 0:36 left] goes on after a step", lines().get(1));
    nanos += 3_900_000_000L;
    progress.part(0, "a part");
    nanos += 4_000_000_000L;
    progress.beat();
    assertEquals("[ 10 %, 0:12, 1:47 left] goes on: a part", lines().get(3));
    progress.close();
    nanos += 4_000_000_000L;
    progress.beat();
    assertEquals(4, lines().size(), lines()::toString);
  }

  @Test
  void ofAShortWorkNothingIsSaid() {
    try (Progress progress = counting("files")) {
      progress.expect(10);
      progress.add(10);
    }
    assertEquals(List.of(), lines());
  }

  @Test
  void aTitleStandsAtOnceAndItsEndIsTold() {
    try (Progress progress = Progress.counting(out, "Loading", "rows", 10, () -> nanos)) {
      assertEquals(List.of("Loading"), lines());
      nanos += 1_500_000_000;
      progress.add(10);
    }
    assertEquals(List.of("Loading", "  1.5 s"), lines());
  }

  @Test
  void aLongWorkIsToldEveryOtherSecond() {
    try (Progress progress = counting("rows")) {
      progress.expect(2000);
      progress.add(500);
      nanos += 2_100_000_000L;
      progress.add(500);
      progress.add(500);
    }
    assertEquals(2, lines().size(), lines()::toString);
    assertEquals("  [ 50 %, 0:02, 0:02 left] 1,000 of 2,000 rows", lines().get(0));
    assertEquals("  1,500 rows, 2.1 s", lines().get(1));
  }

  @Test
  void ofNobodyKnowsHowManyOnlyTheCountIsTold() {
    try (Progress progress = counting("files looked at")) {
      nanos += 2_100_000_000L;
      progress.add(0);
    }
    assertEquals("  [0:02] 0 files looked at", lines().get(0));
  }

  @Test
  void ofAWorkThatFailedBeforeItBeganNothingIsSaid() {
    try (Progress progress = counting("entries")) {
      progress.expect(10);
      nanos += 2_100_000_000L;
    }
    assertEquals(List.of(), lines());
  }

  @Test
  void minutesAndSeconds() {
    assertEquals("0:00", Progress.clock(0.4));
    assertEquals("61:05", Progress.clock(3665));
  }
}

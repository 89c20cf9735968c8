package io.winnow.quotient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.KeyHash;
import io.winnow.image.Filters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The Java of docs/quotient.md is the code between the marks here, which is compiled and run. */
class QuotientDocsTest {
  private static final long HOUR = 3600;

  private record Event(byte[] id, long time) {}

  // docs begin
  /** Lets an event through once an hour. */
  static final class Deduplicator {
    private final QuotientFilter seen =
        QuotientFilter.of(QuotientShape.ofFingerprintBits(40, 1024));
    private final KeyHash hashes = KeyHash.seeded(); // the ids are those of strangers
    private final ArrayDeque<Passed> window = new ArrayDeque<>();

    private record Passed(long hash, long time) {}

    boolean isNew(byte[] id, long time) {
      while (!window.isEmpty() && window.peek().time() <= time - HOUR) {
        seen.delete(window.poll().hash()); // it was inserted, so nobody else's is deleted
      }
      if (seen.load() < 0.2 && seen.shape().slots() > 1024) {
        seen.halveSlots(); // a busy hour is over
      }
      long hash = hashes.hash(id);
      if (!seen.insertIfAbsent(hash)) { // grows by itself
        return false;
      }
      window.add(new Passed(hash, time));
      return true;
    }
  }

  // docs end

  private static Event event(int number, long time) {
    return new Event(("event-" + number).getBytes(StandardCharsets.US_ASCII), time);
  }

  /** Busy and quiet hours; an exact de-duplicator beside it. */
  @Test
  void theApplicationLetsEachEventThroughOnceAnHour() {
    Deduplicator deduplicator = new Deduplicator();
    Random random = new Random(1);
    Set<Integer> held = new HashSet<>();
    ArrayDeque<int[]> window = new ArrayDeque<>();
    int wronglyHeldBack = 0;
    int maxSlots = 0;
    for (int time = 0; time < 8 * HOUR; time++) {
      int events = time / HOUR % 4 == 1 ? 60 : 3;
      for (int i = 0; i < events; i++) {
        while (!window.isEmpty() && window.peek()[1] <= time - HOUR) {
          held.remove(window.poll()[0]);
        }
        int number = random.nextInt(200_000);
        boolean isNew = held.add(number);
        if (isNew) {
          window.add(new int[] {number, time});
        }
        Event event = event(number, time);
        boolean passed = deduplicator.isNew(event.id(), event.time());
        assertTrue(isNew || !passed, "a repeat got through");
        wronglyHeldBack += isNew && !passed ? 1 : 0;
      }
      maxSlots = Math.max(maxSlots, deduplicator.seen.shape().slots());
    }
    assertEquals(held.size(), deduplicator.seen.count(), 2);
    assertTrue(wronglyHeldBack < 5, "40 bits: one in ten million at these numbers");
    assertTrue(maxSlots >= 131_072, "grew");
    assertTrue(deduplicator.seen.shape().slots() <= 65_536, "and shrank");
    assertEquals(0, deduplicator.seen.refusedDeletes());
  }

  private static QuotientFilter merged(QuotientFilter left, QuotientFilter right) {
    // docs begin
    QuotientFilter both = QuotientFilter.merge(List.of(left, right));
    FilterImage image = both.toImage(); // into a file; and from it, in place:
    ImageFilter frozen = Filters.open(image.buffer());
    QuotientFilter again = QuotientFilter.thaw(frozen); // one that changes
    // docs end
    return again;
  }

  @Test
  void mergedFiltersHoldBoth() {
    QuotientFilter left = QuotientFilter.of(QuotientShape.ofFingerprintBits(40, 1024));
    QuotientFilter right = QuotientFilter.of(QuotientShape.ofFingerprintBits(50, 100));
    left.insert(KeyHash.XXH3.hash(event(1, 0).id()));
    right.insert(KeyHash.XXH3.hash(event(2, 0).id()));
    QuotientFilter both = merged(left, right);
    assertTrue(both.mightContain(KeyHash.XXH3.hash(event(1, 0).id())));
    assertTrue(both.mightContain(KeyHash.XXH3.hash(event(2, 0).id())));
    assertFalse(both.mightContain(KeyHash.XXH3.hash(event(3, 0).id())));
  }

  @Test
  void keysAsBytes() {
    // docs begin
    QuotientFilter users = QuotientFilter.of(QuotientSizing.forRate(0.01).shape(1_000_000));
    users.hashedBy(KeyHash.MURMUR3); // images record it, for their readers
    boolean isNew = users.insertIfAbsent("user-42");
    // docs end
    assertTrue(isNew);
    users.insert("user-42");
    assertTrue(users.delete("user-42") && users.delete("user-42".getBytes(StandardCharsets.UTF_8)));
    assertFalse(users.delete("user-42"), "each copy is deleted");
    users.insert("user-42");
    assertTrue(
        QuotientFilter.thaw(users.freeze())
            .mightContain("user-42".getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void thePageShowsTheseExamples() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "quotient.md"));
    String source =
        Files.readString(Path.of("src/test/java/io/winnow/quotient/QuotientDocsTest.java"));
    List<String> compiled = blocks(source, "// docs begin\n(.*?)[^\n]*// docs end\n");
    List<String> shown = blocks(page, "```java\n(.*?)```");
    assertEquals(compiled, shown);
  }

  private static List<String> blocks(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
    return matcher
        .results()
        .map(
            found ->
                found
                    .group(1)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .collect(Collectors.joining("\n")))
        .toList();
  }
}

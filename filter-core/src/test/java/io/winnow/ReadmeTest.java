package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hash.KeyHash;
import io.winnow.ribbon.BumpedRibbonSizing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The README's Java is the code between the two marks here, which is compiled and run. */
class ReadmeTest {

  @Test
  void theExampleFindsItsKeys() {
    List<byte[]> keys =
        IntStream.range(0, 10_000)
            .mapToObj(i -> ("row-" + i).getBytes(StandardCharsets.UTF_8))
            .toList();
    assertTrue(example(keys, keys.get(0)));
    assertTrue(example(keys, keys.get(9_999)));
    assertFalse(example(keys, new byte[0]));
  }

  private static boolean example(List<byte[]> keys, byte[] wanted) {
    // README begin
    FilterBuilder builder =
        FilterBuilder.of(BumpedRibbonSizing.forRate(0.01)).hashedBy(KeyHash.XXH3);
    for (byte[] key : keys) {
      builder.add(key);
    }
    FilterImage image = builder.finish();
    ByteBuffer bytes = image.buffer(); // into a file; and from it, mapped or read, heap or not:

    MembershipFilter filter = Filters.open(bytes);
    boolean maybe = filter.mightContain(wanted);
    // README end
    return maybe;
  }

  @Test
  void theReadmeShowsTheExample() throws IOException {
    String readme = Files.readString(Path.of("..", "README.md"));
    String source = Files.readString(Path.of("src/test/java/io/winnow/ReadmeTest.java"));
    String shown = between(readme, "```java\n", "```");
    String compiled = between(source, "// README begin\n", "    // README end");
    assertEquals(
        compiled.lines().map(String::stripLeading).collect(Collectors.joining("\n")),
        shown.lines().map(String::stripLeading).collect(Collectors.joining("\n")));
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}

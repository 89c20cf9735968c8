package io.winnow.ribbon;

import io.winnow.FilterBuilder;
import io.winnow.GoldenImagesTest;
import io.winnow.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Images of version 2, whose key hash has a seed: behind the payload all is as in version 1. */
class GoldenSeededImageTest extends GoldenImagesTest {
  private static final long SEED = 0x0123456789ABCDEFL;
  private static final String[] KEYS = {"one", "two", "three"};

  GoldenSeededImageTest() {
    super("image-v2", "ribbon-v1", "ribbon");
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  protected List<Golden> images() {
    KeyHash hash = KeyHash.seeded(SEED);
    FilterBuilder builder =
        FilterBuilder.of(RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)).hashedBy(hash);
    for (String key : KEYS) {
      builder.add(key(key));
    }
    long[] hashes = Stream.of(KEYS).mapToLong(key -> hash.hash(key(key))).toArray();
    return List.of(new Golden("three-keys", hashes, bytes(builder.finish())));
  }

  @Override
  protected LongPredicate plainReader(byte[] image) {
    return new PlainRibbonReader(Arrays.copyOf(image, image.length - Long.BYTES))::mightContain;
  }

  @Test
  void theFormatPagesExampleIsTheGoldenImage() throws IOException {
    assertPageShows("three-keys", read("three-keys").length);
    assertPageNames(SEED);
    assertPageNames(images().get(0).hashes());
  }
}

package io.winnow.ribbon;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.base.KeyBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A machine that damages what it builds: no key is lost, and no build fails. */
class SafetyNetTest {
  private static final int KEYS = 3000;
  private static final long[] HASHES = distinct(1, KEYS);

  enum Kind {
    WIDTH_64,
    WIDTH_128,
    BUMPED;

    FilterImage build(Consumer<byte[]> fault, boolean verified) {
      KeyBuffer keys = new KeyBuffer();
      keys.add(HASHES, 0, KEYS);
      return switch (this) {
        case WIDTH_64, WIDTH_128 ->
            new HomogeneousConstruction(this == WIDTH_64 ? 64 : 128, fault)
                .build(
                    RibbonSizing.forRate(0.01, this == WIDTH_64 ? 64 : 128).withFirstSeeds(() -> 0),
                    keys,
                    KeyHash.XXH3,
                    verified);
        case BUMPED ->
            new BumpedConstruction(fault)
                .build(
                    BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0),
                    keys,
                    KeyHash.XXH3,
                    verified);
      };
    }

    int seed(FilterImage image) {
      return image.buffer().getInt(image.layout().type() == FilterType.RIBBON ? 48 : 40);
    }
  }

  /** Strikes the first images that come, at one bit of the solution. */
  private static final class Fault implements Consumer<byte[]> {
    private final int strikes;
    private final int bit;
    private int images;

    Fault(int strikes, int bit) {
      this.strikes = strikes;
      this.bit = bit;
    }

    @Override
    public void accept(byte[] image) {
      // A bumped filter's last layer comes before it as a filter of its own, which stays whole.
      if (image.length < KEYS / 2) {
        return;
      }
      if (images++ < strikes) {
        int bits = 8 * (image.length - FilterHeader.SIZE_IN_BYTES) / 2;
        int at = 8 * FilterHeader.SIZE_IN_BYTES + bits / 2 + bit % bits;
        image[at / 8] ^= (byte) (1 << at % 8);
      }
    }
  }

  private static void assertHoldsAll(FilterImage image) {
    MembershipFilter filter = image.open();
    for (long hash : HASHES) {
      assertTrue(filter.mightContain(hash), image.layout()::describe);
    }
    assertEquals(KEYS, image.layout().keyCount());
  }

  private static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  @ParameterizedTest
  @EnumSource
  void withoutAFaultItIsTheBuildersImage(Kind kind) {
    FilterBuilder builder =
        FilterBuilder.of(
                switch (kind) {
                  case WIDTH_64 -> RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0);
                  case WIDTH_128 -> RibbonSizing.forRate(0.01, 128).withFirstSeeds(() -> 0);
                  case BUMPED -> BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0);
                })
            .hashesOf(KeyHash.XXH3);
    builder.add(HASHES, 0, KEYS);
    assertArrayEquals(bytes(builder.finish()), bytes(kind.build(image -> {}, true)));
  }

  /** Any bit of the solution that is wrong is noticed, and the next seed is taken. */
  @ParameterizedTest
  @EnumSource
  void aDamagedImageIsBuiltAnewWithTheNextSeed(Kind kind) {
    int attempts = 100;
    int noticed = 0;
    for (int i = 0; i < attempts; i++) {
      Fault fault = new Fault(1, 97 * i);
      FilterImage image = kind.build(fault, true);
      assertHoldsAll(image);
      noticed += kind.seed(image) == 1 ? 1 : 0;
    }
    // A bit that concerns no key may be wrong: a few are.
    assertTrue(noticed >= attempts - 3, noticed + " of " + attempts + " noticed");
  }

  @ParameterizedTest
  @CsvSource({"WIDTH_64, 2", "WIDTH_64, 3", "WIDTH_128, 3", "BUMPED, 2"})
  void thenTheOneAfter(Kind kind, int strikes) {
    FilterImage image = kind.build(new Fault(strikes, 500), true);
    assertEquals(strikes, kind.seed(image));
    assertHoldsAll(image);
    assertTrue(image.layout().estimatedRate() <= 0.01);
  }

  @ParameterizedTest
  @EnumSource
  void inTheEndEverythingIsAccepted(Kind kind) {
    FilterImage image = kind.build(new Fault(Integer.MAX_VALUE, 500), true);
    assertEquals(FilterHeader.SIZE_IN_BYTES, image.sizeInBytes());
    assertEquals(1.0, image.layout().estimatedRate());
    assertEquals(0.01, image.layout().configuredRate());
    assertHoldsAll(image);
    assertTrue(image.open().mightContain(42));
  }

  /** Four seeds at each size; then a column more, and from there on more slots each time. */
  @ParameterizedTest
  @EnumSource(names = {"WIDTH_64", "WIDTH_128"})
  void afterTheSeedsItGrows(Kind kind) {
    List<Integer> lengths = new ArrayList<>();
    kind.build(
        image -> {
          lengths.add(image.length);
          Arrays.fill(image, FilterHeader.SIZE_IN_BYTES, image.length, (byte) 0x5A);
        },
        true);
    assertEquals(20, lengths.size());
    int before = 0;
    for (int from = 0; from < 20; from += 4) {
      List<Integer> size = lengths.subList(from, from + 4);
      assertTrue(Collections.min(size) > 1.03 * before, lengths::toString);
      before = Collections.max(size);
    }
  }

  /** The last layer is verified by itself, before the layers around it: so they can stay. */
  @Test
  void aDamagedLastLayerIsBuiltAnewAlone() {
    int[] images = new int[1];
    FilterImage image =
        Kind.BUMPED.build(
            bytes -> {
              if (images[0]++ == 0) {
                assertTrue(bytes.length < KEYS / 2);
                Arrays.fill(bytes, FilterHeader.SIZE_IN_BYTES, bytes.length, (byte) 0x5A);
              }
            },
            true);
    assertEquals(3, images[0], "the last layer twice, and the whole");
    assertEquals(0, Kind.BUMPED.seed(image));
    assertHoldsAll(image);
  }

  /** So the tests above are about verification. */
  @ParameterizedTest
  @EnumSource
  void withoutVerificationTheDamageGoesOut(Kind kind) {
    FilterImage image = kind.build(new Fault(1, 500), false);
    MembershipFilter filter = image.open();
    boolean all = true;
    for (long hash : HASHES) {
      all &= filter.mightContain(hash);
    }
    assertTrue(!all && kind.seed(image) == 0);
  }

  /** A layer table that contradicts itself is no reason to fail. */
  @Test
  void aDamagedLayerTableIsBuiltAnew() {
    for (int bit = 0; bit < 8 * BumpedRibbonLayout.tableLength(1); bit++) {
      int at = bit;
      int[] images = {0};
      FilterImage image =
          Kind.BUMPED.build(
              bytes -> {
                if (bytes.length >= KEYS / 2 && images[0]++ == 0) {
                  bytes[FilterHeader.SIZE_IN_BYTES + at / 8] ^= (byte) (1 << at % 8);
                }
              },
              true);
      assertHoldsAll(image);
      assertEquals(1, Kind.BUMPED.seed(image), "bit " + bit);
    }
  }
}

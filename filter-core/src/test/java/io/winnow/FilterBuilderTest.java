package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.base.KeyBuffer;
import io.winnow.image.Filters;
import io.winnow.quotient.QuotientSizing;
import io.winnow.ribbon.RibbonSizing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a builder hands on to the kind of filter that it builds. */
class FilterBuilderTest {
  private record Call(int keys, KeyHash keyHash, boolean verified) {}

  /** Builds Ribbon filters, and writes down what it was asked for. */
  private static final class Recording implements FilterSizing {
    private final FilterSizing ribbon = RibbonSizing.forRate(0.01);
    private final List<Call> calls = new ArrayList<>();
    private long bytesPerKey;

    @Override
    public FilterType type() {
      return ribbon.type();
    }

    @Override
    public double rate() {
      return ribbon.rate();
    }

    @Override
    public long keyLimit(long imageBytes) {
      return ribbon.keyLimit(imageBytes);
    }

    @Override
    public long expectedImageBytes(long keys) {
      return bytesPerKey > 0 ? keys * bytesPerKey : ribbon.expectedImageBytes(keys);
    }

    @Override
    public FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified) {
      calls.add(new Call(keys.count(), keyHash, verified));
      return ribbon.build(keys, keyHash, verified);
    }

    Call last() {
      return calls.get(calls.size() - 1);
    }
  }

  private final Recording sizing = new Recording();
  private final FilterBuilder builder = FilterBuilder.of(sizing);

  @Test
  void filtersAreVerifiedUnlessToldOtherwise() {
    builder.finish();
    assertTrue(sizing.last().verified());
    assertSame(builder, builder.verified(false));
    builder.clear();
    builder.finish();
    assertEquals(new Call(0, null, false), sizing.last());
    builder.clear();
    builder.verified(true).finish();
    assertTrue(sizing.last().verified());
  }

  @Test
  void keysAndTheirFunctionAreHandedOn() {
    builder.add(1);
    builder.add(2);
    builder.finish();
    assertEquals(new Call(2, null, true), sizing.last());
    builder.hashedBy(KeyHash.MURMUR3).add(new byte[] {1});
    builder.finish();
    assertEquals(new Call(1, KeyHash.MURMUR3, true), sizing.last());
    builder.add(new byte[] {1});
    builder.clear();
    builder.finish();
    assertEquals(new Call(0, KeyHash.MURMUR3, true), sizing.last());
  }

  /** Refused before it is built; repeats do not count, and the keys stay. */
  @Test
  void anImageThatIsTooLargeIsRefused() {
    sizing.bytesPerKey = 1 << 29; // three keys fit
    for (int i = 0; i < 12; i++) {
      builder.add(i % 3);
    }
    assertEquals(3, builder.finish().layout().keyCount());
    for (int i = 0; i < 4; i++) {
      builder.add(i);
    }
    var e = assertThrows(IllegalStateException.class, builder::finish);
    assertTrue(e.getMessage().startsWith("4 keys need an image of 2 GiB"), e.getMessage());
    assertEquals(4, builder.pendingCount());
    builder.clear();
    builder.add(1);
    assertEquals(1, builder.finish().layout().keyCount());
  }

  @Test
  void keysWithoutAChosenFunctionAreHashedByTheDefault() {
    FilterBuilder builder = FilterBuilder.of(RibbonSizing.forRate(0.01));
    builder.add("a text");
    builder.add("bytes".getBytes(StandardCharsets.UTF_8));
    MembershipFilter filter = builder.finish().open();
    assertEquals(KeyHash.XXH3, filter.keyHash());
    assertTrue(filter.mightContain("bytes"));
    assertTrue(filter.mightContain("a text".getBytes(StandardCharsets.UTF_8)));
    FilterBuilder ofHashes = FilterBuilder.of(RibbonSizing.forRate(0.01));
    ofHashes.add(17);
    assertThrows(IllegalStateException.class, () -> ofHashes.add("would not be found"));
    assertThrows(IllegalStateException.class, () -> builder.add(17));
  }

  /** Parallel streams join builders. */
  @Test
  void streamsAreCollected() {
    List<byte[]> keys =
        IntStream.range(0, 100_000)
            .mapToObj(i -> ("key " + i).getBytes(StandardCharsets.UTF_8))
            .toList();
    for (Stream<byte[]> stream : List.of(keys.stream(), keys.parallelStream())) {
      FilterImage collected = stream.collect(FilterBuilder.collector(RibbonSizing.forRate(0.01)));
      assertEquals(keys.size(), collected.layout().keyCount());
      assertTrue(keys.stream().allMatch(collected.open()::mightContain));
    }
    FilterImage none =
        Stream.<byte[]>empty().collect(FilterBuilder.collector(RibbonSizing.forRate(0.01)));
    assertEquals(0, none.layout().keyCount());
  }

  @Test
  void anotherSizingIsForOneFilterOnly() {
    FilterBuilder builder = FilterBuilder.of(RibbonSizing.forRate(0.01)).hashedBy(KeyHash.XXH3);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 3000; i++) {
        builder.add(("key " + i).getBytes(StandardCharsets.US_ASCII));
      }
      FilterImage image =
          round == 0 ? builder.finish(QuotientSizing.forRate(0.001)) : builder.finish();
      assertEquals(0, builder.pendingCount());
      assertEquals(round == 0 ? FilterType.QUOTIENT : FilterType.RIBBON, image.layout().type());
      MembershipFilter filter = Filters.open(image.buffer());
      for (int i = 0; i < 3000; i++) {
        assertTrue(filter.mightContain(("key " + i).getBytes(StandardCharsets.US_ASCII)));
      }
    }
  }
}

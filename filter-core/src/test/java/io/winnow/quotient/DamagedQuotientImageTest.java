package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.quotient.QuotientModelTest.hashOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ByteAccess;
import io.winnow.DamagedImagesTest;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.FilterType;
import io.winnow.ImageFilter;
import io.winnow.image.Filters;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Quotient filters, which are read in order too. */
class DamagedQuotientImageTest extends DamagedImagesTest {

  private static byte[] image(QuotientScheme scheme, int slots, int keys) {
    QuotientFilter filter =
        QuotientFilter.of(QuotientShape.ofSlots(slots, 7).with(scheme))
            .growing(QuotientGrowth.NONE);
    for (long hash : distinct(1, keys)) {
      filter.insert(hash);
    }
    return bytes(filter.toImage());
  }

  @Override
  protected List<byte[]> images() {
    List<byte[]> images = new ArrayList<>();
    for (QuotientScheme scheme : QuotientScheme.values()) {
      images.addAll(List.of(image(scheme, 150, 0), image(scheme, 150, 1)));
      images.add(image(scheme, 260, scheme.capacity(260)));
    }
    return images;
  }

  @Override
  protected byte[] fieldsImage() {
    return image(QuotientScheme.RANK_SELECT, 150, 100);
  }

  /**
   * Metadata that no table has: ends without runs, runs without ends, offsets that lead nowhere.
   */
  @ParameterizedTest
  @EnumSource
  void anyPayloadIsSafe(QuotientScheme scheme) {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      byte[] image = image(scheme, 1 + random.nextInt(400), 1);
      int blockBytes = scheme.metadataBytes + 8 * 7;
      byte[] damage = new byte[image.length - 64];
      random.nextBytes(damage);
      int kind = random.nextInt(4);
      for (int at = 0; at < damage.length; at++) {
        int inBlock = at % blockBytes;
        if (kind == 1 && inBlock < 8 || kind == 2 && inBlock == 16) {
          damage[at] = -1; // all occupied; all offsets far, all shifted
        } else if (kind == 3 && inBlock >= 8 && inBlock < 16) {
          damage[at] = 0; // no runends
        }
      }
      System.arraycopy(damage, 0, image, 64, damage.length);
      try {
        assertSafe(image, seed + i);
      } catch (RuntimeException e) {
        throw new AssertionError("winnow.seed=" + seed + " image " + i, e);
      }
    }
  }

  /**
   * One remainder in each slot: at places above all fingerprints', between two of them, and of
   * quotients that are no slots, where numbers would overflow.
   */
  @ParameterizedTest
  @EnumSource
  void placesOfNoFingerprintAreRefused(QuotientScheme scheme) {
    for (long universe : new long[] {1L << 62, (1L << 62) - 12_345, 3L << 60, 100 << 7, 9999}) {
      QuotientShape shape = QuotientShape.ofUniverse(scheme, universe, 100);
      byte[] empty = new byte[64 + 5 * shape.blockBytes() + 8];
      for (int slot = 0; slot < 5 * 64; slot++) {
        for (long remainder : new long[] {0, 1, (1L << shape.remainderBits()) - 1}) {
          byte[] image = empty.clone();
          int block = 64 + (slot >>> 6) * shape.blockBytes();
          ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
          out.putLong(block, 1L << slot);
          out.putLong(block + 8, scheme == QuotientScheme.RANK_SELECT ? 1L << slot : 0);
          int bit = (slot & 63) * shape.remainderBits();
          out.putLong(block + shape.scheme().metadataBytes + bit / 8, remainder << bit % 8);
          FilterHeader.write(
              image,
              FilterType.QUOTIENT,
              null,
              1,
              0.5,
              0.5,
              QuotientLayout.shape0(shape),
              universe);
          FingerprintCursor cursor =
              QuotientFilter.fingerprints(Filters.open(ByteBuffer.wrap(image)));
          long fingerprint = fingerprintAt(shape, slot, remainder);
          if (fingerprint < 0) {
            assertThrows(FilterFormatException.class, cursor::next, shape + " slot " + slot);
          } else {
            assertTrue(cursor.next());
            assertEquals(fingerprint, cursor.fingerprint());
          }
        }
      }
    }
  }

  /** As the format page has it; -1 if there is none. */
  private static long fingerprintAt(QuotientShape shape, int quotient, long remainder) {
    BigInteger universe = BigInteger.valueOf(shape.universe());
    BigInteger places = BigInteger.valueOf(shape.slots()).shiftLeft(shape.remainderBits());
    BigInteger spread = places.shiftLeft(63).divide(universe);
    BigInteger place =
        BigInteger.valueOf(quotient)
            .shiftLeft(shape.remainderBits())
            .add(BigInteger.valueOf(remainder));
    BigInteger fingerprint =
        place.shiftLeft(63).add(spread).subtract(BigInteger.ONE).divide(spread);
    return fingerprint.compareTo(universe) < 0
            && fingerprint.multiply(spread).shiftRight(63).equals(place)
        ? fingerprint.longValueExact()
        : -1;
  }

  /** Probes answer; reading in order, and thawing, come to an end or refuse. */
  @Override
  protected void assertSafe(byte[] image, long seed) {
    super.assertSafe(image, seed);
    ImageFilter filter = Filters.openUnverified(ByteBuffer.wrap(image));
    if (filter.layout().describe().equals("everything")) {
      return;
    }
    try {
      int slots = image.length; // more than there are
      FingerprintCursor cursor = QuotientFilter.fingerprints(filter);
      for (long last = 0; cursor.next(); last = cursor.fingerprint()) {
        assertTrue(cursor.fingerprint() >= last && cursor.fingerprint() < cursor.universe());
        assertTrue(slots-- > 0, "ends");
      }
      assertHoldsWhatWasRead(filter);
      QuotientFilter thawed = QuotientFilter.thaw(filter);
      assertEquals(
          new PlainQuotientReader(bytes(thawed.toImage())).fingerprints(),
          QuotientModelTest.contents(QuotientFilter.fingerprints(filter)));
    } catch (FilterFormatException e) {
      assertTrue(e.getMessage().contains("slot") || e.getMessage().contains("block"));
    }
  }

  /** Reading to the end checks all that probes rely on. */
  private static void assertHoldsWhatWasRead(ImageFilter filter) {
    FingerprintCursor cursor = QuotientFilter.fingerprints(filter);
    while (cursor.next()) {
      long hash = hashOf(cursor.fingerprint(), cursor.universe());
      assertTrue(filter.mightContain(hash), () -> "lost " + cursor.fingerprint());
    }
  }

  /** In rank and select each bit of metadata is bound to others. */
  @Test
  void everyFlippedBitOfMetadataIsRefusedInOrder() {
    byte[] image = image(QuotientScheme.RANK_SELECT, 260, 247);
    int blockBytes = 17 + 8 * 7;
    for (int bit = 64 * 8; bit < (image.length - 8) * 8; bit++) {
      if ((bit / 8 - 64) % blockBytes < 17) {
        byte[] damaged = image.clone();
        damaged[bit / 8] ^= (byte) (1 << bit % 8);
        ImageFilter filter = Filters.openUnverified(ByteBuffer.wrap(damaged));
        assertThrows(FilterFormatException.class, () -> QuotientFilter.thaw(filter), "bit " + bit);
      }
    }
  }

  /** Words of metadata, block by block, and a quotient whose run they do not lead to. */
  private record Contradiction(String what, int quotient, long[]... blocks) {}

  private static long bits(int... positions) {
    long bits = 0;
    for (int position : positions) {
      bits |= 1L << position;
    }
    return bits;
  }

  /** What the format page lists: the answer is maybe, and reading in order refuses. */
  private static void assertInDoubt(QuotientScheme scheme, Contradiction wrong) {
    QuotientShape shape = QuotientShape.ofSlots(64 * wrong.blocks().length, 4).with(scheme);
    int blockBytes = shape.blockBytes();
    byte[] image = new byte[64 + wrong.blocks().length * blockBytes + 8];
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    for (int block = 0; block < wrong.blocks().length; block++) {
      long[] words = wrong.blocks()[block];
      int at = 64 + block * blockBytes;
      out.putLong(at, words[0]).putLong(at + 8, words[1]);
      if (scheme == QuotientScheme.RANK_SELECT) {
        out.put(at + 16, (byte) words[2]);
      } else {
        out.putLong(at + 16, words[2]);
      }
    }
    QuotientLayout.image(image, shape, null, 1, 0.1, 0.1);
    ImageFilter filter = Filters.open(ByteBuffer.wrap(image));
    for (int remainder = 0; remainder < 16; remainder++) {
      long hash = hashOf(wrong.quotient() << 4 | remainder, shape.universe());
      assertTrue(filter.mightContain(hash), wrong.what() + ", remainder " + remainder);
    }
    assertThrows(FilterFormatException.class, () -> QuotientFilter.thaw(filter), wrong.what());
  }

  @Test
  void ranksThatContradictThemselves() {
    for (Contradiction wrong :
        List.of(
            new Contradiction("no offset known", 3, new long[] {bits(3), bits(3), 255}),
            new Contradiction(
                "no offset known in two blocks",
                70,
                new long[] {bits(3), bits(3), 255},
                new long[] {bits(6), bits(6), 255}),
            new Contradiction("no end", 3, new long[] {bits(3), 0, 0}),
            new Contradiction("an end too few", 9, new long[] {bits(3, 4, 9), bits(4, 9), 10}),
            new Contradiction("an end too many", 9, new long[] {bits(9), bits(3, 9), 0}),
            new Contradiction("two ends too many", 9, new long[] {bits(9), bits(3, 5, 9), 0}),
            new Contradiction(
                "an end too many after an offset that is not known",
                66,
                new long[] {0, 0, 0},
                new long[] {bits(2), bits(0, 2), 255}),
            new Contradiction(
                "no end of the runs before an offset that is not known",
                66,
                new long[] {bits(5), 0, 0},
                new long[] {bits(2), 0, 255}),
            new Contradiction("an offset beyond the last block", 3, new long[] {bits(3), -1, 64}),
            new Contradiction(
                "the run would start beyond the last block",
                66,
                new long[] {bits(5, 6), bits(5), 0},
                new long[] {bits(2), bits(63), 255}),
            new Contradiction("more runs than there is room for", 63, new long[] {-1, ~1, 0}))) {
      assertInDoubt(QuotientScheme.RANK_SELECT, wrong);
    }
  }

  @Test
  void threeBitsThatContradictThemselves() {
    for (Contradiction wrong :
        List.of(
            new Contradiction("no cluster", 3, new long[] {bits(3), 0, -1}),
            new Contradiction(
                "no cluster in two blocks",
                66,
                new long[] {bits(3), 0, -1},
                new long[] {bits(2), 0, -1}),
            new Contradiction("no run", 3, new long[] {bits(3), -1, 0}),
            new Contradiction(
                "a run too few", 3, new long[] {bits(1, 2, 3), ~bits(1, 2), bits(2, 3)}),
            new Contradiction(
                "a run too few in two blocks",
                66,
                new long[] {bits(62, 63), ~bits(63), ~bits(62)},
                new long[] {bits(2), -1, -1}))) {
      assertInDoubt(QuotientScheme.THREE_BIT, wrong);
    }
  }

  @Override
  protected byte[] randomFields(Random random) {
    long slots = random.nextInt(4) == 0 ? random.nextInt() : 1 + random.nextInt(300);
    int remainderBits = random.nextInt(4) == 0 ? random.nextInt(256) : 1 + random.nextInt(56);
    int scheme = random.nextInt(8) == 0 ? random.nextInt(256) : 1 + random.nextInt(2);
    long universe =
        switch (random.nextInt(4)) {
          case 0 -> random.nextLong();
          case 1 -> (slots << remainderBits) - random.nextInt(100);
          default -> slots << remainderBits;
        };
    int blockBytes = (scheme == 1 ? 17 : 24) + 8 * remainderBits;
    int blocks = (int) Math.min(slots / 64 & 0xFF, 8) + random.nextInt(3);
    int payload = random.nextInt(8) == 0 ? random.nextInt(500) : blocks * blockBytes + 8;
    byte[] image = new byte[64 + payload];
    if (random.nextBoolean()) {
      random.nextBytes(image);
    }
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(0, FilterHeader.MAGIC);
    out.put(4, (byte) 3);
    out.put(5, (byte) 1);
    out.put(7, (byte) 0);
    out.putLong(8, random.nextInt(300));
    out.putDouble(16, 0.01);
    out.putDouble(24, random.nextDouble());
    out.putLong(32, payload);
    out.putInt(40, (int) slots);
    out.put(44, (byte) remainderBits);
    out.put(45, (byte) scheme);
    out.putShort(46, (short) (random.nextInt(16) == 0 ? random.nextInt() : 0));
    out.putLong(48, universe);
    writeHeaderCrc(image);
    return image;
  }

  @Override
  protected List<Wrong> wrongFields() {
    return List.of(
        new Wrong(40, 4, 0, "0 slots"),
        new Wrong(40, 4, -1, "4294967295 slots"),
        new Wrong(40, 4, 149, "remainders of 7 bits, must be 8"),
        new Wrong(44, 1, 0, "remainders of 0 bits"),
        new Wrong(44, 1, 8, "remainders of 8 bits"),
        new Wrong(44, 1, 255, "remainders of 255 bits"),
        new Wrong(45, 1, 0, "scheme id 0"),
        new Wrong(45, 1, 3, "scheme id 3"),
        new Wrong(45, 1, 2, "payload of"),
        new Wrong(46, 2, 1, "reserved"),
        new Wrong(48, 8, 0, "0 fingerprints"),
        new Wrong(48, 8, 150, "150 fingerprints"),
        new Wrong(48, 8, -1, "-1 fingerprints"),
        new Wrong(48, 8, Long.MAX_VALUE, "9223372036854775807 fingerprints"),
        new Wrong(32, 8, 0, "payload length 0"));
  }

  /** By its fields, whatever the payload's checksum says. */
  private static void assertNoTable(byte[] image) {
    var e =
        assertThrows(
            FilterFormatException.class, () -> Filters.openUnverified(ByteBuffer.wrap(image)));
    assertTrue(e.getMessage().contains("no table for 100 keys"), e.getMessage());
  }

  @Test
  void aHeaderAloneHoldsNothingOrEverything() {
    byte[] image = fieldsImage();
    byte[] headerAlone = Arrays.copyOf(image, 64);
    ByteBuffer.wrap(headerAlone).order(ByteOrder.LITTLE_ENDIAN).putLong(32, 0);
    writeHeaderCrc(headerAlone);
    assertNoTable(headerAlone);
    ByteBuffer rates = ByteBuffer.wrap(headerAlone).order(ByteOrder.LITTLE_ENDIAN);
    rates.putDouble(24, Math.nextDown(1.0));
    writeHeaderCrc(headerAlone);
    assertNoTable(headerAlone);
    rates.putDouble(24, 1);
    writeHeaderCrc(headerAlone);
    assertTrue(Filters.openUnverified(ByteBuffer.wrap(headerAlone)).mightContain(1), "everything");
    rates.putLong(8, 0);
    writeHeaderCrc(headerAlone);
    assertFalse(Filters.openUnverified(ByteBuffer.wrap(headerAlone)).mightContain(1), "nothing");
  }

  /** The limits that the format page lists: each is met, and then exceeded by one. */
  @Test
  void limitsOfTheHeaderAreMetAndExceeded() {
    int fewest = 17 + 8; // bytes of a block with remainders of one bit
    assertOpens(1 << 30, 1, 1L << 31, (1L << 24) * fewest + 8);
    assertRefused((1 << 30) + 1, 1, 1L << 31, (1L << 24) * fewest + 8, "1073741825 slots");
    assertOpens(64, 1, 65, fewest + 8);
    assertRefused(64, 0, 64, 17 + 8, "64 fingerprints");
    assertOpens(64, 56, 1L << 62, 17 + 8 * 56 + 8);
    assertRefused(64, 57, (1L << 62) + 1, 17 + 8 * 57 + 8, "4611686018427387905 fingerprints");
    assertRefused(32, 57, 1L << 62, 17 + 8 * 57 + 8, "in 32 slots");
    assertOpens(64, 1, 128, ((1L << 25) - 1) * fewest + 8);
    assertRefused(64, 1, 128, (1L << 25) * fewest + 8, "payload of");
    assertOpens(1 << 30, 13, 1L << 43, (1L << 24) * (17 + 8 * 13) + 8);
    assertRefused(1 << 30, 14, 1L << 44, 0, "more than 2 GiB");
  }

  private static void assertOpens(int slots, int remainderBits, long universe, long payload) {
    QuotientLayout layout =
        (QuotientLayout) layoutOfHeader(slots, remainderBits, universe, payload);
    assertEquals(slots, layout.shape().slots());
    assertEquals(remainderBits, layout.shape().remainderBits());
  }

  private static void assertRefused(
      int slots, int remainderBits, long universe, long payload, String words) {
    String message =
        assertThrows(
                FilterFormatException.class,
                () -> layoutOfHeader(slots, remainderBits, universe, payload))
            .getMessage();
    assertTrue(message.contains(words), message);
  }

  /** Reads a header alone; the payload, of which nothing is read at open, is not there. */
  private static FilterLayout layoutOfHeader(
      int slots, int remainderBits, long universe, long payload) {
    byte[] header = new byte[64];
    long shape0 = slots | (long) remainderBits << 32 | 1L << 40;
    FilterHeader.write(header, FilterType.QUOTIENT, null, 0, 0.5, 0.5, shape0, universe);
    fields(header).putLong(32, payload);
    writeHeaderCrc(header);
    return Filters.readLayout(ByteAccess.ARRAY, header, 0, (int) (64 + payload));
  }

  @Override
  protected void claim(ByteBuffer image, Random random) {
    int slots = (1 << 30) - random.nextInt(1000);
    image.putInt(40, slots);
    image.putLong(48, (long) slots << 7);
  }
}

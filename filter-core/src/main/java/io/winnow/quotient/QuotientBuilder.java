package io.winnow.quotient;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.hash.KeyBuffer;
import io.winnow.hash.KeyHash;

/**
 * Builds quotient filters from streamed key hashes: sorts them, and writes the table in one pass at
 * the scheme's highest load.
 *
 * <p>Building never fails. The table is that of the set of fingerprints, each once, whose rate is
 * known exactly; the image's key count is that of the distinct hashes. Unless {@link #verified}
 * says otherwise, every filter is verified before it is handed out. One that does not hold every
 * hash, which only a fault of the machine could explain, is replaced by one that answers {@code
 * true} to everything.
 *
 * <p>Memory: 8 bytes per key while keys come in, in an array that doubles; at finish another 8 for
 * the sorted copy, the table and the image. Not thread-safe.
 */
public final class QuotientBuilder implements FilterBuilder {
  private final QuotientSizing sizing;
  private final KeyBuffer keys = new KeyBuffer();
  private final QuotientPacker packer;
  private int hashId;
  private boolean verified = true;

  private QuotientBuilder(QuotientSizing sizing, QuotientPacker packer) {
    this.sizing = sizing;
    this.packer = packer;
  }

  public static QuotientBuilder of(QuotientSizing sizing) {
    return of(sizing, new QuotientPacker());
  }

  static QuotientBuilder of(QuotientSizing sizing, QuotientPacker packer) {
    return new QuotientBuilder(sizing, packer);
  }

  /** Records in the image which function made the hashes. */
  public QuotientBuilder hashedBy(KeyHash hash) {
    hashId = hash.id();
    return this;
  }

  /** Whether a finished filter is verified to hold every hash: the default. */
  public QuotientBuilder verified(boolean newVerified) {
    verified = newVerified;
    return this;
  }

  @Override
  public void add(long keyHash) {
    keys.add(keyHash);
  }

  @Override
  public long pendingCount() {
    return keys.count();
  }

  @Override
  public FilterImage finish() {
    FilterImage image = packer.pack(sizing, keys.hashes(), keys.count(), hashId, verified);
    keys.clear();
    return image;
  }
}

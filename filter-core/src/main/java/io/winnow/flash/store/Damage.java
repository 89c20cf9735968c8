package io.winnow.flash.store;

import java.io.IOException;

/** A page that a structure cannot use, as its {@code verify} finds it. */
public final class Damage {
  private final String file;
  private final long page;
  private final String reason;

  public Damage(String file, long page, String reason) {
    this.file = file;
    this.page = page;
    this.reason = reason;
  }

  /** What a read of the page met. */
  public static Damage of(String file, long page, IOException met) {
    return new Damage(
        file,
        page,
        met instanceof DamagedPageException
            ? ((DamagedPageException) met).reason()
            : met.getMessage());
  }

  public String file() {
    return file;
  }

  /** The number of the page in the file, from 0 on. */
  public long page() {
    return page;
  }

  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}

package io.winnow.flash.store;

import io.winnow.base.FieldText;
import java.io.IOException;

/** A damaged page that {@code verify} found in the file of a structure. */
public final class Damage {
  private final String file;
  private final long page;
  private final String reason;

  /**
   * Creates the description of a damaged page.
   *
   * @param page number of the page in the file, from 0
   * @param reason what is wrong with the page
   */
  public Damage(String file, long page, String reason) {
    this.file = file;
    this.page = page;
    this.reason = reason;
  }

  /** Returns the description of a damaged page, from the exception that a read of it threw. */
  public static Damage of(String file, long page, IOException met) {
    return new Damage(
        file,
        page,
        met instanceof DamagedPageException
            ? ((DamagedPageException) met).reason()
            : met.getMessage());
  }

  /** Returns the name of the file that has the damaged page. */
  public String file() {
    return file;
  }

  /** Returns the number of the damaged page in its file, from 0. */
  public long page() {
    return page;
  }

  /** Returns a sentence that says what is wrong with the damaged page. */
  public String reason() {
    return reason;
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}

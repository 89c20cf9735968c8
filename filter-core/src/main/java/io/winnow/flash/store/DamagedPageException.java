package io.winnow.flash.store;

import java.io.IOException;

/**
 * Thrown when a page's content does not match its checksum, its place or its structure. The message
 * names the file and the page.
 */
public final class DamagedPageException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long page;
  private final String reason;

  /**
   * Creates the exception that reports a damaged page.
   *
   * @param page number of the page in the file, from 0
   * @param reason what is wrong with the page
   */
  public DamagedPageException(String file, long page, String reason) {
    super("page " + page + " of " + file + " is damaged: " + reason);
    this.file = file;
    this.page = page;
    this.reason = reason;
  }

  /** Returns the exception for a page whose read failed: the reason is that of the failure. */
  public static DamagedPageException of(String file, long page, IOException met) {
    return new DamagedPageException(
        file,
        page,
        met instanceof DamagedPageException
            ? ((DamagedPageException) met).reason
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

  /** Returns what is wrong with the damaged page, without its file and number. */
  public String reason() {
    return reason;
  }
}

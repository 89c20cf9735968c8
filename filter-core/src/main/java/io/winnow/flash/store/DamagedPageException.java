package io.winnow.flash.store;

import java.io.IOException;

/** A page whose checksum does not match what it holds. The message names the file and the page. */
public final class DamagedPageException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long page;
  private final String reason;

  public DamagedPageException(String file, long page, String reason) {
    super("page " + page + " of " + file + " is damaged: " + reason);
    this.file = file;
    this.page = page;
    this.reason = reason;
  }

  public String file() {
    return file;
  }

  public long page() {
    return page;
  }

  /** What is wrong with it, without its name. */
  public String reason() {
    return reason;
  }
}

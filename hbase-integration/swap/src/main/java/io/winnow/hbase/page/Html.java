package io.winnow.hbase.page;

/**
 * Builder of the text of an HTML page. All text and attributes are escaped, except in {@link #raw},
 * which takes literals of this program only.
 */
final class Html {
  private final StringBuilder out = new StringBuilder(1 << 14);

  /** Begins an HTML page: doctype, head, and the start of the body. */
  static Html page(String title) {
    return new Html()
        .raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .raw("<link rel=\"stylesheet\" href=\"winnow?style\">")
        .raw("<link rel=\"icon\" href=\"static/favicon.ico\">")
        .raw("<title>")
        .text(title)
        .raw("</title></head>\n<body>\n");
  }

  Html raw(String ours) {
    out.append(ours);
    return this;
  }

  Html text(String any) {
    for (int i = 0; i < any.length(); i++) {
      char c = any.charAt(i);
      switch (c) {
        case '&':
          out.append("&amp;");
          break;
        case '<':
          out.append("&lt;");
          break;
        case '>':
          out.append("&gt;");
          break;
        case '"':
          out.append("&quot;");
          break;
        case '\'':
          out.append("&#39;");
          break;
        default:
          out.append(c);
      }
    }
    return this;
  }

  /** Appends an attribute to an HTML element: a space, the name, and the value in quotes. */
  Html attribute(String name, String value) {
    return raw(" ").raw(name).raw("=\"").text(value).raw("\"");
  }

  /** Appends an HTML element with text in it. */
  Html element(String name, String text) {
    return raw("<").raw(name).raw(">").text(text).raw("</").raw(name).raw(">");
  }

  Html link(String to, String text) {
    return raw("<a").attribute("href", to).raw(">").text(text).raw("</a>");
  }

  /** Ends the HTML page. */
  Html end() {
    return raw("</body></html>\n");
  }

  @Override
  public String toString() {
    return out.toString();
  }
}

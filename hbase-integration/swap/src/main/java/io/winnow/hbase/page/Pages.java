package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Pages under {@code /winnow}, selected by the parameters of a request.
 *
 * <pre>
 * /winnow                                        the server, a row for each family
 * /winnow?table=T&amp;family=F                       the family's open files
 * /winnow?table=T&amp;family=F&amp;region=R&amp;file=NAME    an open file
 * </pre>
 *
 * <p>With {@code format=json}, the response has the same facts as JSON.
 */
final class Pages {
  static final String TABLE = "table";
  static final String FAMILY = "family";
  static final String REGION = "region";
  static final String FILE = "file";

  private static final String BEAN = "jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=Winnow";

  /** Style sheet of the pages: a table on a wide screen, a card for each row on a phone. */
  private static final String STYLE = style();

  private Pages() {}

  private static String style() {
    try (InputStream in = Pages.class.getResourceAsStream("style.css")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the response to a request for the page {@code /winnow}.
   *
   * @param query parameters of the request
   * @param input data for the page; read only if the page needs it
   */
  static Answer answer(Query query, Supplier<PageInput> input) {
    if (query.has("style")) {
      return new Answer(Answer.OK, "text/css; charset=utf-8", STYLE);
    }
    boolean isForProgram = query.has("format", "json");
    if (query.has(FILE)) {
      FilePage file = FilePage.of(input.get(), query);
      if (file == null) {
        return Answer.words(Answer.NOT_FOUND, "This server has no such file open.");
      }
      return isForProgram ? Answer.json(file.json()) : Answer.html(file.html());
    }
    if (query.has(TABLE)) {
      FileList files = new FileList(input.get(), query);
      if (files.isEmpty()) {
        return Answer.words(Answer.NOT_FOUND, "This server has no file of such a family open.");
      }
      return isForProgram ? Answer.json(files.json()) : Answer.html(files.html());
    }
    Overview overview = new Overview(input.get(), query);
    return isForProgram ? Answer.json(overview.json()) : Answer.html(overview.html());
  }

  /** Begins an HTML page with its links, its title and the region server's name. */
  static Html begin(String title, PageInput input) {
    return Html.page(title)
        .raw("<header><nav>")
        .link("rs-status", "Region server")
        .link("winnow", "Filters")
        .link("winnow?format=json", "JSON")
        .link(BEAN, "JMX")
        .raw("</nav>\n")
        .element("h1", title)
        .raw("<p>")
        .text(input.server + ", Winnow " + ServerView.version())
        .raw("</p></header>\n<main>\n");
  }
}

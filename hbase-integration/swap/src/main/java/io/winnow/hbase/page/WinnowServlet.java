package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.hbase.http.HttpServer;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servlet that serves the page {@code /winnow} of a region server. The page has no script, and its
 * policy forbids the browser to run any.
 */
public final class WinnowServlet extends HttpServlet {
  /** Path of Winnow's page on a region server. */
  public static final String PATH = "/winnow";

  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(WinnowServlet.class);
  private static final RecentCounts RECENT = RecentCounts.sinceStartOfJvm();

  /**
   * Content security policy of the page {@code /winnow}. HBase may send another one; the browser
   * follows both.
   */
  private static final String SECURITY_POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'";

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!HttpServer.isInstrumentationAccessAllowed(getServletContext(), request, response)) {
      return; // the response has the refusal
    }
    Answer answer;
    try {
      // The query string as it was sent: HBase quotes the parameters of a request for HTML.
      answer = Pages.answer(Query.of(request.getQueryString()), this::input);
    } catch (RuntimeException e) {
      LOG.warn("Making the page {} failed", PATH, e);
      answer = Answer.words(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, "See the server's log.");
    }
    response.setStatus(answer.status);
    response.setContentType(answer.contentType);
    response.addHeader("Content-Security-Policy", SECURITY_POLICY);
    byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  private PageInput input() {
    HRegionServer server =
        (HRegionServer) getServletContext().getAttribute(HRegionServer.REGIONSERVER);
    return new PageInput(
        String.valueOf(server.getServerName()),
        server.getConfiguration(),
        ServerView.now(),
        RECENT);
  }
}

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

/** Serves the page {@code /winnow}. It has no script, and forbids the browser to run any. */
public final class WinnowServlet extends HttpServlet {
  /** The path of the page on a region server. */
  public static final String PATH = "/winnow";

  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(WinnowServlet.class);
  private static final FalseReads FALSE_READS = FalseReads.sinceStartOfJvm();

  /** Beside the one that HBase may be told to send: a browser follows both. */
  private static final String SECURITY_POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'";

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!HttpServer.isInstrumentationAccessAllowed(getServletContext(), request, response)) {
      return; // the response says so
    }
    Answer answer;
    try {
      // As it was sent: HBase hands out parameters that are quoted for HTML.
      answer = Pages.answer(Query.of(request.getQueryString()), this::input);
    } catch (RuntimeException e) {
      LOG.warn("The page {} failed", PATH, e);
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
        FALSE_READS);
  }
}

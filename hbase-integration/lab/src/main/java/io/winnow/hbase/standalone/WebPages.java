package io.winnow.hbase.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/**
 * HBase's web pages, {@code --ui}: the jar of their files, and the address where a server serves
 * them.
 */
final class WebPages {
  private static final String JAR = "winnow.pages.jar";

  private WebPages() {}

  /**
   * Returns the jar with the files of the web pages, which the launcher names. HBase's own jar does
   * not have them.
   *
   * @throws IOException with a message for the user, if there is none
   */
  static Path jar() throws IOException {
    Path jar = Path.of(System.getProperty(JAR, ""));
    if (!Files.isRegularFile(jar)) {
      throw new IOException("--ui needs HBase's web pages, which ./winnow build gets: " + jar);
    }
    return jar;
  }

  /** Sets in a server's settings that it serves its web pages on a port of 127.0.0.1. */
  static void serve(Configuration site, String server, int port) {
    site.set("hbase." + server + ".info.port", Integer.toString(port));
    site.set("hbase." + server + ".info.bindAddress", Loopback.ADDRESS);
  }

  /** Returns the address of Winnow's page on a region server with the agent. */
  static String address(int port) {
    return "http://" + Loopback.ADDRESS + ":" + port + "/winnow";
  }
}

package io.winnow.hbase.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/**
 * Access to HBase's web pages for {@code --ui}: the jar of their files, and the address where a
 * server serves them.
 */
final class WebPages {
  private static final String JAR = "winnow.pages.jar";

  private WebPages() {}

  /** Returns true if the launcher names the jar with the files of HBase's web pages. */
  static boolean areThere() {
    return Files.isRegularFile(Path.of(System.getProperty(JAR, "")));
  }

  /**
   * Returns the jar with the files of HBase's web pages, which the launcher names. HBase's own jar
   * does not have them.
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

  /** Sets in a server's settings that it serves HBase's web pages on a port of 127.0.0.1. */
  static void serve(Configuration site, String server, int port) {
    site.set("hbase." + server + ".info.port", Integer.toString(port));
    site.set("hbase." + server + ".info.bindAddress", Loopback.ADDRESS);
  }

  /** Returns the web address of Winnow's page on a region server with the agent. */
  static String address(int port) {
    return "http://" + Loopback.ADDRESS + ":" + port + "/winnow";
  }
}

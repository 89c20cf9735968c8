package io.winnow.hbase.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/** HBase's web pages, {@code --ui}: where their files are, and where they are served. */
final class WebPages {
  private static final String JAR = "winnow.pages.jar";

  private WebPages() {}

  /**
   * The jar of their files, which the launcher names: HBase's own jar is without them.
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

  /** Has a server serve them on a port of 127.0.0.1. */
  static void serve(Configuration site, String server, int port) {
    site.set("hbase." + server + ".info.port", Integer.toString(port));
    site.set("hbase." + server + ".info.bindAddress", Loopback.ADDRESS);
  }

  /** Of a region server with the agent. */
  static String address(int port) {
    return "http://" + Loopback.ADDRESS + ":" + port + "/winnow";
  }
}

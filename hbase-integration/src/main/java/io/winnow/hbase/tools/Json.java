package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;

/** What {@code --json FILE} asks for: a document with the outcome, on the local file system. */
final class Json {
  static final String OPTION = "json";

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  private Json() {}

  /**
   * Refuses a file that cannot be written, before the work for it is done.
   *
   * @throws IOException with a sentence for the user
   */
  static void check(Arguments arguments) throws IOException {
    UserFiles.requireWritable(arguments.path(OPTION));
  }

  /** Writes the document, if it is asked for. */
  static void write(Arguments arguments, Object document) throws IOException {
    Path file = arguments.path(OPTION);
    if (file != null) {
      Files.writeString(file, GSON.toJson(document) + "\n");
    }
  }
}

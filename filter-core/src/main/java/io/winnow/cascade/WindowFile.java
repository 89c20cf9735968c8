package io.winnow.cascade;

import io.winnow.FilterFormatException;
import io.winnow.flash.FileAccess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which generations a window has: those from the oldest to the newest, or none if that is one less.
 * Lines of text, the last of them a checksum, switched as a {@link Manifest}. Schema-critical.
 */
record WindowFile(long oldest, long newest) {
  static final String NAME = "WINDOW";

  private static final Pattern FORM =
      Pattern.compile(
          "winnow-cascade-window 1\noldest ([1-9][0-9]{0,17})\nnewest (0|[1-9][0-9]{0,17})\n"
              + "crc32c [0-9a-f]{8}\n");

  private static final long MAX_BYTES = 4096;

  private String text() {
    String text = "winnow-cascade-window 1\noldest " + oldest + "\nnewest " + newest + "\n";
    return text + "crc32c " + Manifest.crc(text) + "\n";
  }

  /** As {@link Manifest#write}. */
  boolean write(FileAccess access, Path directory) throws IOException {
    return Manifest.write(access, directory, NAME, text());
  }

  static boolean isThere(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  static WindowFile read(Path directory) throws IOException {
    Path path = directory.resolve(NAME);
    String text =
        Files.size(path) > MAX_BYTES ? "" : Files.readString(path, StandardCharsets.ISO_8859_1);
    Matcher words = FORM.matcher(text);
    if (words.matches()) {
      WindowFile file =
          new WindowFile(Long.parseLong(words.group(1)), Long.parseLong(words.group(2)));
      if (file.text().equals(text) && file.newest >= file.oldest - 1) {
        return file;
      }
    }
    throw new FilterFormatException(
        path + " is damaged or of another version: " + CascadeDirectory.WHAT_TO_DO);
  }
}

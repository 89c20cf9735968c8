package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page {@code docs/cost-model.md}, whose examples are commands with their output. */
final class ModelPage {
  private static final Pattern EXAMPLE =
      Pattern.compile("```\n\\$ \\./winnow model ?([^\n]*)\n.*?```\n", Pattern.DOTALL);

  private ModelPage() {}

  /** Writes {@code docs/cost-model.md} anew, with the present output of the commands in it. */
  static void renew(Path home) throws IOException {
    Path file = file(home);
    Files.writeString(file, renewed(Files.readString(file)));
  }

  static Path file(Path home) {
    return home.resolve("docs").resolve("cost-model.md");
  }

  /**
   * Returns a page of Markdown in which each example of a command has the command's present output.
   */
  static String renewed(String page) {
    StringBuilder text = new StringBuilder();
    Matcher example = EXAMPLE.matcher(page);
    while (example.find()) {
      String arguments = example.group(1).strip();
      String[] args = arguments.isEmpty() ? new String[0] : arguments.split(" +");
      String block =
          "```\n"
              + ("$ ./winnow model " + arguments).strip()
              + "\n"
              + Program.read(new Model(), args).output()
              + "```\n";
      example.appendReplacement(text, Matcher.quoteReplacement(block));
    }
    return example.appendTail(text).toString();
  }
}

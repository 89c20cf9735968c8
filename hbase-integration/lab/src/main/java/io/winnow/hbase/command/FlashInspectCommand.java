package io.winnow.hbase.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.flash.FlashInspect;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow flash inspect}, and {@code ./winnow cascade inspect}: prints the
 * {@link FlashInspect} of each directory or file, and writes it as JSON.
 */
@Command(name = "winnow flash inspect")
public final class FlashInspectCommand extends Program {
  /** Exit code: damage was found. */
  private static final int FOUND = 3;

  @Option(names = "--verify")
  private boolean verifies;

  @Option(names = "--json")
  private Path json;

  @Parameters private List<String> named = List.of();

  public static void main(String[] arguments) {
    main(FlashInspectCommand::new, arguments);
  }

  @Override
  protected void check() {
    if (named.isEmpty()) {
      throw new IllegalArgumentException(
          "name the directory of a cascade filter, a buffered Bloom filter or a BufferHash, or the"
              + " file of a plain or an elevator Bloom filter");
    }
  }

  @Override
  protected int work() throws IOException {
    UserFiles.requireWritable(json);
    List<Map<String, Object>> all = new ArrayList<>();
    boolean damaged = false;
    try (Progress progress = Progress.counting(err, "pages")) {
      for (String name : named) {
        Path path = Path.of(name);
        FlashInspect seen =
            verifies
                ? FlashInspect.verified(path, progress::expect, progress::add)
                : FlashInspect.of(path);
        all.add(seen.fields());
        out.print(name + "\n" + seen + "\n");
        damaged |= seen.isDamaged();
      }
    }
    if (json != null) {
      ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
      Files.writeString(json, mapper.writeValueAsString(all) + "\n");
    }
    return damaged ? FOUND : DONE;
  }
}

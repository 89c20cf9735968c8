package io.winnow.hbase.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The result files of a measuring command, one for each run. A name has the date, the processor,
 * the commit, and a suffix for a run that differs from one with defaults.
 *
 * @param prefix the prefix of the names of this command's files; empty if the directory has no
 *     others
 */
public record ResultFiles(Path directory, String prefix) {
  /** Makes the result files of a command that has its directory for itself. */
  public ResultFiles(Path directory) {
    this(directory, "");
  }

  /**
   * Writes the results of a run into a new file that is named after the run's day, machine, commit
   * and variant. A document of the same day, machine, commit and variant is replaced.
   *
   * @param variant the end of the name; empty for a run with defaults
   */
  public Path write(Results results, String variant) throws IOException {
    Results.Setting setting = results.setting();
    String name =
        String.join("_", setting.day(), Machine.slug(setting.machine()), setting.commit());
    Path file = directory.resolve(prefix + name + variant + ".json");
    Files.createDirectories(directory);
    return Files.writeString(file, results.json());
  }

  /** Returns the newest result file of a variant of runs, by the date in the documents. */
  public Optional<Path> newest(String variant) throws IOException {
    if (!Files.isDirectory(directory)) {
      return Optional.empty();
    }
    Pattern name =
        Pattern.compile(
            Pattern.quote(prefix) + "[^_]+_[^_]+_[^_]+" + Pattern.quote(variant) + "\\.json");
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> name.matcher(file.getFileName().toString()).matches())
          .max(Comparator.comparing(ResultFiles::date).thenComparing(Comparator.naturalOrder()));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Returns all result files whose names contain a given text, in the order of the rest of their
   * names. The run with defaults comes first.
   */
  public List<Path> all(String kind) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().contains(kind))
          .sorted(Comparator.comparing(file -> file.getFileName().toString().split(kind, 2)[1]))
          .toList();
    }
  }

  /** Reads the date of a result file of any command: all begin with their setting. */
  private static String date(Path file) {
    try {
      JsonNode date = new ObjectMapper().readTree(file.toFile()).path("setting").path("date");
      if (!date.isTextual()) {
        throw new IOException(file + " has no results that can be read: it has no date");
      }
      return date.textValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads the results of a run from their file.
   *
   * @throws IOException with a sentence for the user, if it is none
   */
  public static Results read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a directory: name a file of results");
    }
    try {
      return Results.ofJson(Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new IOException("there is no file " + file, e);
    } catch (IOException | RuntimeException e) {
      throw new IOException(file + " has no results that can be read: " + firstLine(e), e);
    }
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}

package io.winnow.hbase.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where a command keeps its results: a file per run, named by date, processor and commit, and by
 * what sets the run apart from one with defaults.
 */
public final class ResultFiles {
  private final Path directory;
  private final String prefix;

  private ResultFiles(Path directory, String prefix) {
    this.directory = directory;
    this.prefix = prefix;
  }

  /**
   * @param prefix of the names of this command's files; empty if the directory has no others
   */
  public static ResultFiles in(Path directory, String prefix) {
    return new ResultFiles(directory, prefix);
  }

  /**
   * Writes a run's document; one of the same day, machine, commit and variant is replaced.
   *
   * @param variant how the name ends; empty for a run with defaults
   */
  public Path write(Results results, String variant) throws IOException {
    Results.Setting setting = results.setting();
    String name =
        String.join("_", setting.day(), Machine.slug(setting.machine()), setting.commit());
    Path file = directory.resolve(prefix + name + variant + ".json");
    Files.createDirectories(directory);
    return Files.writeString(file, results.json());
  }

  /** The newest of a variant, by what the documents themselves say. */
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

  /** All of a kind, by their variants: that of a run with defaults comes first. */
  public List<Path> all(String kind) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().contains(kind))
          .sorted(Comparator.comparing(file -> file.getFileName().toString().split(kind, 2)[1]))
          .toList();
    }
  }

  /** Results of several runs, and the names of their files. */
  public record Whole(Results results, List<String> files) {}

  /**
   * A run, with the parts that ran again later at the same commit on the same machine: so a long
   * run can be made in pieces.
   *
   * @param parts as the names of their files end
   */
  public Whole whole(Path run, List<String> parts) throws IOException {
    Results results = read(run);
    List<String> files = new ArrayList<>(List.of(run.getFileName().toString()));
    for (String part : parts) {
      Optional<Path> newest = newest(part);
      if (newest.isPresent()) {
        Results again = read(newest.get());
        if (again.isComparable(results)
            && again.setting().date().compareTo(results.setting().date()) >= 0) {
          results.replaceBy(again);
          files.add(newest.get().getFileName().toString());
        }
      }
    }
    return new Whole(results, files);
  }

  /** When a document was made, of whichever command it is: all begin with their setting. */
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
   * Reads a run's document.
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

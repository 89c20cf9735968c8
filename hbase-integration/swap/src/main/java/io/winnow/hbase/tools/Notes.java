package io.winnow.hbase.tools;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Sentences that a tool prints after its result, such as those on files that it could not read.
 * Thread-safe.
 */
final class Notes {
  private final List<String> failures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Adds a sentence on something that the tool could not read, such as a file. */
  synchronized void recordFailure(String sentence) {
    failures.add(sentence);
  }

  /** Adds a sentence to print after the tool's result, unless it was added before. */
  synchronized void record(String sentence) {
    if (!notes.contains(sentence)) {
      notes.add(sentence);
    }
  }

  synchronized boolean hasFailures() {
    return !failures.isEmpty();
  }

  /** Returns the sentences on what the tool could not read. */
  synchronized List<String> failures() {
    return List.copyOf(failures);
  }

  /**
   * Prints all sentences that were added, each on a line that begins with the name of the command.
   */
  synchronized void print(PrintStream out, String command) {
    notes.forEach(line -> out.println("winnow " + command + ": " + line));
    failures.forEach(line -> out.println("winnow " + command + ": " + line));
  }
}

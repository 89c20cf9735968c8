package io.winnow.hbase.tools;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Sentences that a tool prints after its outcome. Thread-safe. */
final class Notes {
  private final List<String> failures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Adds a sentence on something that could not be read. */
  synchronized void recordFailure(String sentence) {
    failures.add(sentence);
  }

  /** Adds a sentence, unless it is there already. */
  synchronized void record(String sentence) {
    if (!notes.contains(sentence)) {
      notes.add(sentence);
    }
  }

  synchronized boolean hasFailures() {
    return !failures.isEmpty();
  }

  /** Returns the sentences on what could not be read. */
  synchronized List<String> failures() {
    return List.copyOf(failures);
  }

  /** Prints all sentences, each on a line with the name of the command. */
  synchronized void print(PrintStream out, String command) {
    notes.forEach(line -> out.println("winnow " + command + ": " + line));
    failures.forEach(line -> out.println("winnow " + command + ": " + line));
  }
}

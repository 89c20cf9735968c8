package io.winnow.hbase.tools;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What a tool has to say beside its outcome: a sentence each, at the end. Thread-safe. */
final class Notes {
  private final List<String> failures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Something could not be read. */
  synchronized void recordFailure(String sentence) {
    failures.add(sentence);
  }

  /** Something is as it is. */
  synchronized void record(String sentence) {
    if (!notes.contains(sentence)) {
      notes.add(sentence);
    }
  }

  synchronized boolean hasFailures() {
    return !failures.isEmpty();
  }

  /** What could not be read, in words. */
  synchronized List<String> failures() {
    return List.copyOf(failures);
  }

  /** Prints them, a line each. */
  synchronized void print(PrintStream out, String command) {
    notes.forEach(line -> out.println("winnow " + command + ": " + line));
    failures.forEach(line -> out.println("winnow " + command + ": " + line));
  }
}

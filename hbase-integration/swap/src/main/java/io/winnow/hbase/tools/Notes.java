package io.winnow.hbase.tools;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What a tool has to say beside its outcome: a sentence each, at the end. Thread-safe. */
final class Notes {
  private final List<String> failures = new ArrayList<>();
  private final List<String> words = new ArrayList<>();

  /** Something could not be read. */
  synchronized void failed(String sentence) {
    failures.add(sentence);
  }

  /** Something is as it is. */
  synchronized void said(String sentence) {
    if (!words.contains(sentence)) {
      words.add(sentence);
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
    words.forEach(line -> out.println("winnow " + command + ": " + line));
    failures.forEach(line -> out.println("winnow " + command + ": " + line));
  }
}

package io.winnow.hbase.agent;

/** The reason why Winnow's filters cannot be used in this JVM. */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1;

  private final String className;
  private final String found;
  private final String expected;

  Refusal(String className, String found, String expected) {
    super(className + ": " + found);
    this.className = className;
    this.found = found.replaceAll("\\s*\\R\\s*", " ");
    this.expected = expected;
  }

  /** Returns the message for a JVM that does not start because Winnow's filters cannot be used. */
  String asMessage() {
    return ("Winnow: cannot put its filters into this HBase, so the JVM is not started.\n")
        + ("  Class:    " + className + "\n")
        + ("  Found:    " + found + "\n")
        + ("  Expected: " + expected + "\n")
        + "  What to do: use the Winnow release that was made for this version of HBase, or take"
        + " -javaagent:winnow-hbase.jar off this JVM's options. Without the agent HBase serves"
        + " every row, using its own Bloom filters only.";
  }

  /** Returns the line for a JVM that goes on although Winnow's filters cannot be used. */
  String asLine() {
    return ("Winnow: ERROR: its filters are NOT in use in this JVM, HBase's own are. Class: ")
        + className
        + (". Found: " + found)
        + (". Expected: " + expected)
        + ". What to do: use the Winnow release that was made for this version of HBase.";
  }
}

package io.winnow.hbase.tools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Variables that an {@code hbase-env.sh} sets, found without running the script. It reads
 * assignments in their order and puts in variables that were set before. It ignores conditions and
 * other files.
 */
final class EnvFile {
  private static final Pattern ASSIGNMENT =
      Pattern.compile("^\\s*(?:export\\s+)?([A-Za-z_][A-Za-z0-9_]*)(\\+?)=(.*)$");
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(?:\\{([A-Za-z_][A-Za-z0-9_]*)\\}|([A-Za-z_][A-Za-z0-9_]*))");
  private static final Pattern AGENT =
      Pattern.compile("-javaagent:([^\\s\"'=]*winnow[^\\s\"'=/]*\\.jar)(?:=([^\\s\"']*))?");

  /** Option of a server's JVM that starts Winnow's agent. */
  static final class Agent {
    /** Name of the variable in {@code hbase-env.sh} whose JVM options start the agent. */
    final String variable;

    final String jar;

    /** Argument that the JVM option passes to the agent; null if there is none. */
    final String argument;

    private Agent(String variable, String jar, String argument) {
      this.variable = variable;
      this.jar = jar;
      this.argument = argument;
    }
  }

  private final Map<String, String> variables = new LinkedHashMap<>();

  /**
   * Reads the assignments of variables in an {@code hbase-env.sh}.
   *
   * @param file null for none
   * @param environment variables that are set before the file is read
   */
  static EnvFile read(Path file, Map<String, String> environment) throws IOException {
    EnvFile env = new EnvFile();
    env.variables.putAll(environment);
    if (file == null) {
      return env;
    }
    // A line that ends with a backslash continues on the next.
    String text =
        new String(Files.readAllBytes(file), StandardCharsets.UTF_8).replaceAll("\\\\\r?\n", " ");
    for (String line : text.split("\\R")) {
      Matcher assignment = ASSIGNMENT.matcher(line);
      if (assignment.matches()) {
        env.set(assignment.group(1), !assignment.group(2).isEmpty(), assignment.group(3).trim());
      }
    }
    return env;
  }

  private void set(String name, boolean adds, String text) {
    boolean quoted = text.length() > 1 && "\"'".indexOf(text.charAt(0)) >= 0;
    int end = quoted ? text.indexOf(text.charAt(0), 1) : -1;
    String value = end > 0 ? text.substring(1, end) : text.replaceFirst("\\s#.*$", "");
    if (!quoted || text.charAt(0) == '"') {
      value =
          VARIABLE
              .matcher(value)
              .replaceAll(
                  found -> {
                    String variable = found.group(1) == null ? found.group(2) : found.group(1);
                    return Matcher.quoteReplacement(
                        variables.getOrDefault(
                            variable, variable.equals(name) ? "" : found.group()));
                  });
    }
    variables.put(name, adds ? variables.getOrDefault(name, "") + value : value);
  }

  /** Returns the value of a variable of {@code hbase-env.sh}; null if it is not set. */
  String get(String name) {
    return variables.get(name);
  }

  /**
   * Returns the JVM option that starts Winnow's agent, from the first of the named variables that
   * has it; null if none has it.
   */
  Agent agentIn(String... names) {
    for (String name : names) {
      Matcher agent = AGENT.matcher(variables.getOrDefault(name, ""));
      if (agent.find()) {
        return new Agent(name, agent.group(1), agent.group(2));
      }
    }
    return null;
  }
}

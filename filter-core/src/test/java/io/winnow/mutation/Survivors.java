package io.winnow.mutation;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The mutants that no test killed: what pitest reports, and which of them are known.
 *
 * <p>A known one is a line of the list, {@code class.method : change : count : reason}. There are
 * no line numbers in it, so that it stays right while the code around moves: it says how often
 * pitest can make this change in this method unnoticed. Empty lines and lines that begin with
 * {@code #} do not count.
 */
final class Survivors {
  /** By {@code class.method : change}, the lines of code where it survives. */
  private final Map<String, List<Integer>> survivors = new TreeMap<>();

  private final Set<String> classes = new HashSet<>();
  private final int mutants;

  private Survivors(NodeList mutations) {
    mutants = mutations.getLength();
    for (int i = 0; i < mutants; i++) {
      Element mutation = (Element) mutations.item(i);
      classes.add(text(mutation, "mutatedClass"));
      if (mutation.getAttribute("detected").equals("false")) {
        int line = Integer.parseInt(text(mutation, "lineNumber"));
        survivors.computeIfAbsent(key(mutation), key -> new ArrayList<>()).add(line);
      }
    }
  }

  static Survivors of(InputStream report) throws Exception {
    return new Survivors(
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report)
            .getElementsByTagName("mutation"));
  }

  /** How many mutants were tried. */
  int mutants() {
    return mutants;
  }

  /** How many of them lived. */
  int count() {
    return survivors.values().stream().mapToInt(List::size).sum();
  }

  /** What is not on the list, or more often than there: lines for the list, without a reason. */
  List<String> unknown(List<String> list) {
    Map<String, Integer> known = known(list);
    List<String> unknown = new ArrayList<>();
    survivors.forEach(
        (key, lines) -> {
          if (lines.size() > known.getOrDefault(key, 0)) {
            unknown.add(key + " : " + lines.size() + " : (lines " + lines + ")");
          }
        });
    return unknown;
  }

  /**
   * What is on the list more often than it survived here, and may have to leave it; of the classes
   * that were changed.
   */
  List<String> killed(List<String> list) {
    List<String> killed = new ArrayList<>();
    known(list)
        .forEach(
            (key, count) -> {
              int lived = survivors.getOrDefault(key, List.of()).size();
              String method = key.substring(0, key.indexOf(" : "));
              boolean tried = classes.contains(method.substring(0, method.lastIndexOf('.')));
              if (tried && lived < count) {
                killed.add(key + " : " + count + ", and " + lived + " survived");
              }
            });
    return killed;
  }

  private static Map<String, Integer> known(List<String> list) {
    Map<String, Integer> known = new TreeMap<>();
    for (String line : list) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split(" : ", 4);
      if (parts.length < 4 || parts[3].isBlank()) {
        throw new IllegalArgumentException(
            "not \"class.method : change : count : reason\": " + line);
      }
      if (known.put(parts[0] + " : " + parts[1], Integer.valueOf(parts[2])) != null) {
        throw new IllegalArgumentException("listed twice: " + line);
      }
    }
    return known;
  }

  private static String key(Element mutation) {
    String method = text(mutation, "mutatedMethod").replaceFirst("^lambda\\$(.*)\\$\\d+$", "$1");
    String change = text(mutation, "description").replaceFirst(" for \\S+::\\S+$", "");
    return text(mutation, "mutatedClass") + "." + method + " : " + change;
  }

  private static String text(Element mutation, String tag) {
    return mutation.getElementsByTagName(tag).item(0).getTextContent();
  }
}

package io.winnow.hbase.page;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The parameters of a request. Nothing in it can be trusted. Immutable. */
final class Query {
  final Map<String, String> parameters;

  Query(Map<String, String> parameters) {
    this.parameters = parameters;
  }

  /**
   * @param text as in a URL behind the question mark; null for none
   */
  static Query of(String text) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String pair : (text == null ? "" : text).split("&")) {
      int equals = pair.indexOf('=');
      parameters.put(
          decoded(equals < 0 ? pair : pair.substring(0, equals)),
          equals < 0 ? "" : decoded(pair.substring(equals + 1)));
    }
    parameters.remove("");
    return new Query(parameters);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  boolean has(String name) {
    return parameters.containsKey(name);
  }

  boolean has(String name, String value) {
    return value.equals(get(name));
  }

  /** Null if there is none. */
  String get(String name) {
    return parameters.get(name);
  }

  /** At least 0, which it is too if there is no such number. */
  int number(String name) {
    try {
      return Math.max(0, Integer.parseInt(parameters.getOrDefault(name, "0")));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  Query with(String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(parameters);
    more.put(name, value.toString());
    return new Query(more);
  }

  Query without(String name) {
    Map<String, String> less = new LinkedHashMap<>(parameters);
    less.remove(name);
    return new Query(less);
  }

  /** A link to the page with these parameters. */
  String link() {
    return parameters.entrySet().stream()
        .map(
            parameter ->
                URLEncoder.encode(parameter.getKey(), StandardCharsets.UTF_8)
                    + "="
                    + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&", "?", ""));
  }
}

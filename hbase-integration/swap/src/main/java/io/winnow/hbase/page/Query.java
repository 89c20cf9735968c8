package io.winnow.hbase.page;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Parameters of an HTTP request. They come from outside and may contain anything. Immutable. */
final class Query {
  final Map<String, String> parameters;

  Query(Map<String, String> parameters) {
    this.parameters = parameters;
  }

  /**
   * Returns the parameters in the query string of a request's URL.
   *
   * @param text part of a URL after the question mark; null for none
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

  /** Returns the value of a parameter of the request; null if it has none of this name. */
  String get(String name) {
    return parameters.get(name);
  }

  /**
   * Returns a parameter of the request as a number; 0 if it is missing, negative, or not a number.
   */
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

  /** Returns a link to the page {@code /winnow} with the parameters of this request. */
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

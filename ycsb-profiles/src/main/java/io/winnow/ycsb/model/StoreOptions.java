package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Arguments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Stores of several files, and what is asked of them.
 *
 * @param keys of a store's files, oldest first
 * @param stores how many, all alike
 * @param rate asked of a file
 * @param memory {@code winnow.store.memory}; empty for the default
 * @param present the share of Gets that find their row
 * @param wishedBytes of a store's filters
 * @param wishedFalseReads per Get
 */
record StoreOptions(
    List<Long> keys,
    long stores,
    double rate,
    int chunkBytes,
    OptionalDouble memory,
    double present,
    OptionalDouble wishedBytes,
    OptionalDouble wishedFalseReads) {

  /** What asks for stores of several files; so does a list of {@code files}. */
  static final List<String> NAMES =
      List.of("growth", "store-memory", "wish-memory", "wish-false-reads");

  /** Of the others, those that mean something here. */
  private static final List<String> SHARED =
      List.of("files", "rows", "regions", "rate", "chunk", "absent");

  private static final double MOST_KEYS = 1e12;

  /** What {@code winnow.store.memory} may be. */
  static final double LEAST_MEMORY = 0.1;

  static final double MOST_MEMORY = 1.25;

  /** Whether it is these that are asked for. */
  static boolean areAsked(Arguments arguments) {
    return isList(arguments) || NAMES.stream().anyMatch(arguments::has);
  }

  private static boolean isList(Arguments arguments) {
    return arguments.has("files") && arguments.text("files").contains(",");
  }

  /**
   * Reads them.
   *
   * @param all the options that have a value
   */
  static StoreOptions of(Arguments arguments, List<String> all) {
    for (String name : all) {
      if (arguments.has(name) && !NAMES.contains(name) && !SHARED.contains(name)) {
        throw new IllegalArgumentException(
            "--" + name + " says nothing of stores of several files, which are asked for");
      }
    }
    boolean list = isList(arguments);
    if (list) {
      for (String name : List.of("rows", "growth")) {
        if (arguments.has(name)) {
          throw new IllegalArgumentException(
              "--" + name + " and a list of --files exclude each other");
        }
      }
    }
    long stores = arguments.whole("regions", list ? 1 : 2000, 1, 1e8);
    List<Long> keys = list ? listed(arguments.text("files")) : grown(arguments, stores);
    return new StoreOptions(
        keys,
        stores,
        arguments.number("rate", 0.01, 1e-9, 0.5),
        (int) arguments.whole("chunk", 131_072, 128, 64 << 20),
        optional(arguments, "store-memory", LEAST_MEMORY, MOST_MEMORY),
        1 - arguments.number("absent", 0.5, 0, 1),
        memory(arguments, keys, stores),
        optional(arguments, "wish-false-reads", 1e-9, 1000));
  }

  private static OptionalDouble optional(Arguments arguments, String name, double min, double max) {
    return arguments.has(name)
        ? OptionalDouble.of(arguments.number(name, 0, min, max))
        : OptionalDouble.empty();
  }

  private static List<Long> listed(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(one -> Math.round(Arguments.number("files", one, 1, MOST_KEYS)))
        .toList();
  }

  /** Each file so many times as large as the next. */
  private static List<Long> grown(Arguments arguments, long stores) {
    int files = (int) arguments.whole("files", 4, 1, 1000);
    double growth = arguments.number("growth", 1, 1, 1e6);
    double parts = 0;
    for (int file = 0; file < files; file++) {
      parts += Math.pow(growth, -file);
    }
    double largest = arguments.whole("rows", 80e9, 1, 1e15) / (double) stores / parts;
    List<Long> keys = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      keys.add(Math.max(1, Math.round(largest * Math.pow(growth, -file))));
    }
    return keys;
  }

  /** Of one store: given in bits per key, or as bytes of all stores. */
  private static OptionalDouble memory(Arguments arguments, List<Long> keys, long stores) {
    String text = arguments.text("wish-memory");
    if (text == null) {
      return OptionalDouble.empty();
    }
    String number = text.strip().toLowerCase(Locale.ROOT);
    double unit = 1.0 / stores;
    if (number.endsWith("bits")) {
      unit = keys.stream().mapToLong(Long::longValue).sum() / 8.0;
      number = number.substring(0, number.length() - 4);
    } else if (!number.isEmpty() && "kmgt".indexOf(number.charAt(number.length() - 1)) >= 0) {
      unit *= Math.pow(1024, "kmgt".indexOf(number.charAt(number.length() - 1)) + 1);
      number = number.substring(0, number.length() - 1);
    }
    try {
      return OptionalDouble.of(unit * Arguments.number("wish-memory", number, 1e-3, 1e15));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--wish-memory " + text + " is not like 60g, 500m or 5.5bits (per key)", e);
    }
  }

  /** The filters that the settings give. */
  StoreFilters filters() {
    return StoreFilters.byStore(keys, rate, memory, chunkBytes);
  }

  /** The filters of another {@code winnow.store.memory}. */
  StoreFilters filters(double otherMemory) {
    return StoreFilters.byStore(keys, rate, OptionalDouble.of(otherMemory), chunkBytes);
  }
}

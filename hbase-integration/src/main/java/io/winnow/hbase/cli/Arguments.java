package io.winnow.hbase.cli;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.apache.hbase.thirdparty.org.apache.commons.cli.CommandLine;
import org.apache.hbase.thirdparty.org.apache.commons.cli.DefaultParser;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Option;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Options;
import org.apache.hbase.thirdparty.org.apache.commons.cli.ParseException;

/**
 * A command line of long options, {@code --help} and {@code -h} among them. What is wrong is an
 * {@link IllegalArgumentException} with a message for the user.
 */
public final class Arguments {
  private final CommandLine line;

  private Arguments(CommandLine line) {
    this.line = line;
  }

  /**
   * Reads a command line.
   *
   * @param flags options without a value
   * @param withValue options with one
   * @param withOptionalValue options that may have one
   */
  public static Arguments parse(
      List<String> flags, List<String> withValue, List<String> withOptionalValue, String... args) {
    Arguments read = parseAll(flags, withValue, withOptionalValue, args);
    if (!read.operands().isEmpty()) {
      throw new IllegalArgumentException("Unexpected argument: " + read.operands().get(0));
    }
    return read;
  }

  /** Reads a command line that has operands too. */
  public static Arguments parseWithOperands(
      List<String> flags, List<String> withValue, String... args) {
    return parseAll(flags, withValue, List.of(), args);
  }

  private static Arguments parseAll(
      List<String> flags, List<String> withValue, List<String> withOptionalValue, String... args) {
    Options options = new Options().addOption(Option.builder("h").longOpt("help").build());
    flags.forEach(name -> options.addOption(Option.builder().longOpt(name).build()));
    withValue.forEach(name -> options.addOption(Option.builder().longOpt(name).hasArg().build()));
    withOptionalValue.forEach(
        name ->
            options.addOption(
                Option.builder().longOpt(name).optionalArg(true).numberOfArgs(1).build()));
    try {
      return new Arguments(new DefaultParser(false).parse(options, args));
    } catch (ParseException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** What is no option, in its order. */
  public List<String> operands() {
    return line.getArgList();
  }

  public boolean has(String name) {
    return line.hasOption(name);
  }

  /** An option's value, or null. */
  public String text(String name) {
    return line.getOptionValue(name);
  }

  /** A path, absolute and normal, or null. */
  public Path path(String name) {
    String text = text(name);
    return text == null ? null : Path.of(text).toAbsolutePath().normalize();
  }

  /** A number from {@code min} to {@code max}; it may be written like 80e9. */
  public double number(String name, double otherwise, double min, double max) {
    String text = text(name);
    return text == null ? otherwise : number(name, text, min, max);
  }

  /** A number that is a part of an option's value. */
  public static double number(String name, String text, double min, double max) {
    try {
      double value = new BigDecimal(text).doubleValue();
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The same message as for a number out of range.
    }
    throw new IllegalArgumentException(
        "--" + name + " " + text + " is not a number in " + plain(min) + ".." + plain(max));
  }

  /** A whole number. */
  public long whole(String name, double otherwise, double min, double max) {
    double value = number(name, otherwise, min, max);
    if (value != Math.rint(value)) {
      throw new IllegalArgumentException("--" + name + " " + text(name) + " is not a whole number");
    }
    return (long) value;
  }

  /** Refuses an option together with any of the others. */
  public void exclude(String name, String... others) {
    for (String other : others) {
      if (has(name) && has(other)) {
        throw new IllegalArgumentException("--" + name + " and --" + other + " exclude each other");
      }
    }
  }

  /** Without an exponent, and without a needless fraction. */
  public static String plain(double value) {
    return value == 0 ? "0" : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}

package io.winnow.hbase.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.util.StringUtils;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * A program that users run from the command line, with options and a help text. Picocli's {@link
 * Command} on its class has its name, fields with {@link Option} are its options, and {@link Range}
 * has the bounds of their numbers. Its help is a text file, so that the launcher can print it
 * without a build and without Java.
 */
public abstract class Program {
  public static final int DONE = 0;
  public static final int FAILED = 1;
  public static final int WRONG_USAGE = 64;

  /** Directory of help texts for those commands that have none in their own package. */
  private static final String TEXTS = "/io/winnow/hbase/command/";

  /**
   * Stream to which a command prints its results, apart from progress and errors. {@link #err} is
   * for progress and errors.
   */
  protected PrintStream out = System.out;

  protected PrintStream err = System.err;

  /**
   * True if the command line has {@code --help}. {@code -h} means the same, except in a command
   * that has another option of that name.
   */
  @Option(names = "--help", usageHelp = true)
  private boolean help;

  private ParseResult given;

  /**
   * Does the work of the command and returns its exit code.
   *
   * @return the exit code
   * @throws IOException with a message for the user, if it failed
   */
  protected abstract int work() throws IOException, InterruptedException;

  /**
   * Checks the options of the command line against each other, before any work is done.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  protected void check() {}

  /** Runs a program, and ends the process with its exit code: HBase leaves threads behind. */
  protected static void main(Supplier<? extends Program> maker, String... args) {
    QuietEnd.install();
    int code = FAILED;
    try {
      code = maker.get().run(System.out, System.err, args);
    } catch (RuntimeException e) { // a fault of the program itself
      e.printStackTrace();
    }
    System.exit(code);
  }

  /**
   * Reads the command line of a program and runs the program, or reports what is wrong with the
   * command line.
   *
   * @return the exit code
   */
  public final int run(PrintStream output, PrintStream errors, String... args) {
    out = output;
    err = errors;
    try {
      read(this, args);
    } catch (IllegalArgumentException e) {
      return refuse(e.getMessage());
    }
    if (help) {
      out.println(help());
      return DONE;
    }
    try {
      return work();
    } catch (IOException | IllegalArgumentException e) {
      return fail(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      err.println(name() + ": interrupted");
      return FAILED;
    }
  }

  /**
   * Reports that the command line is wrong, and returns the exit code for that.
   *
   * @return the exit code
   */
  protected int refuse(String sentence) {
    err.println(name() + ": " + sentence + "\n" + help());
    return WRONG_USAGE;
  }

  /**
   * Reports why the work of the command failed, and returns the exit code for that.
   *
   * @return the exit code
   */
  protected int fail(Exception e) {
    err.println(name() + ": " + UserFiles.sentence(e));
    return FAILED;
  }

  /**
   * Sets the options of a program from a command line, and checks them.
   *
   * @return the program, ready for {@link #work}
   * @throws IllegalArgumentException with a message for the user
   */
  public static <P extends Program> P read(P program, String... args) {
    CommandLine line = new CommandLine(program).setExpandAtFiles(false);
    line.registerConverter(int.class, text -> (int) whole(text, Integer.MAX_VALUE));
    line.registerConverter(Integer.class, text -> (int) whole(text, Integer.MAX_VALUE));
    line.registerConverter(long.class, text -> whole(text, Long.MAX_VALUE));
    line.registerConverter(Long.class, text -> whole(text, Long.MAX_VALUE));
    line.registerConverter(double.class, text -> new BigDecimal(text).doubleValue());
    line.registerConverter(Double.class, text -> new BigDecimal(text).doubleValue());
    line.registerConverter(Path.class, text -> Path.of(text).toAbsolutePath().normalize());
    Program any = program;
    try {
      any.given =
          line.parseArgs(
              line.getCommandSpec().optionsMap().containsKey("-h")
                  ? args
                  : Arrays.stream(args)
                      .map(word -> word.equals("-h") ? "--help" : word)
                      .toArray(String[]::new));
    } catch (ParameterException e) {
      throw new IllegalArgumentException(sentence(e), e);
    }
    for (OptionSpec option : any.given.matchedOptions()) {
      Range range = range(option);
      if (range != null) {
        number(
            option.longestName().substring(2),
            option.originalStringValues().get(0),
            range.min(),
            range.max());
      }
    }
    if (!any.help) {
      program.check();
    }
    return program;
  }

  private static long whole(String text, long most) {
    BigDecimal value = new BigDecimal(text);
    if (value.abs().compareTo(BigDecimal.valueOf(most)) > 0) {
      return most; // refused later, as out of the option's range
    }
    try {
      return value.longValueExact();
    } catch (ArithmeticException e) {
      throw new CommandLine.TypeConversionException("is not a whole number");
    }
  }

  private static Range range(ArgSpec option) {
    return option.userObject() instanceof Field
        ? ((Field) option.userObject()).getAnnotation(Range.class)
        : null;
  }

  private static String sentence(ParameterException e) {
    ArgSpec option = e.getArgSpec();
    if (e instanceof UnmatchedArgumentException) {
      String first = ((UnmatchedArgumentException) e).getUnmatched().get(0);
      return first.startsWith("-")
          ? "there is no option "
              + first
              + "; there are "
              + e.getCommandLine().getCommandSpec().options().stream()
                  .flatMap(one -> Arrays.stream(one.names()))
                  .filter(name -> name.startsWith("--") || name.length() == 2)
                  .sorted()
                  .collect(Collectors.joining(", "))
          : "Unexpected argument: " + first;
    }
    if (e instanceof MissingParameterException) {
      option = ((MissingParameterException) e).getMissing().get(0);
      Range range = range(option);
      return name(option)
          + " needs a value"
          + (range == null ? "" : ": a number in " + words(range));
    }
    if (e instanceof OverwrittenOptionException) {
      return name(((OverwrittenOptionException) e).getOverwritten()) + " is there more than once";
    }
    if (e.getCause() instanceof CommandLine.TypeConversionException) {
      return name(option) + ' ' + e.getValue() + ' ' + e.getCause().getMessage();
    }
    Range range = option == null ? null : range(option);
    return range == null ? e.getMessage() : noNumber(name(option), e.getValue(), words(range));
  }

  private static String name(ArgSpec option) {
    return option.isOption() ? ((OptionSpec) option).longestName() : option.paramLabel();
  }

  /**
   * Returns the number in a part of an option's value, after a check of its bounds.
   *
   * @throws IllegalArgumentException with a message for the user, if the text is no number or out
   *     of range
   */
  public static double number(String option, String text, double min, double max) {
    try {
      double value = new BigDecimal(text).doubleValue();
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Refused below, as a number out of range is.
    }
    throw new IllegalArgumentException(noNumber("--" + option, text, words(min, max)));
  }

  /**
   * Returns the bytes of a size such as 64m or 2g, in powers of 1024.
   *
   * @throws IllegalArgumentException with a message for the user, if the text is no size, or below
   *     the minimum
   */
  public static long bytes(String option, String text, long min) {
    try {
      long bytes = StringUtils.TraditionalBinaryPrefix.string2long(text);
      if (bytes >= min) {
        return bytes;
      }
    } catch (IllegalArgumentException | StringIndexOutOfBoundsException e) { // "" is out of bounds
      // Refused below, as a small size is.
    }
    String minimum = StringUtils.TraditionalBinaryPrefix.long2String(min, "", 0);
    throw new IllegalArgumentException(
        String.format(
            "--%s %s is no size of %s at least, such as 64m or 20g", option, text, minimum));
  }

  private static String noNumber(String option, String text, String range) {
    return option + ' ' + text + " is not a number in " + range;
  }

  private static String words(Range range) {
    return words(range.min(), range.max());
  }

  private static String words(double min, double max) {
    return Table.exact(min) + ".." + Table.exact(max);
  }

  /** Returns true if the command line has a given option. */
  protected final boolean has(String option) {
    return given.hasMatchedOption("--" + option);
  }

  /** Refuses a command line that has one option together with another that excludes it. */
  protected final void exclude(String option, String... others) {
    for (String other : others) {
      if (has(option) && has(other)) {
        throw new IllegalArgumentException(
            "--" + option + " and --" + other + " exclude each other");
      }
    }
  }

  /** Returns the words of the command line, for a further process of the same command. */
  protected final List<String> words() {
    return given.originalArgs();
  }

  /** Returns the command line in the form in which results record it: without paths of files. */
  protected final String commandLine() {
    StringBuilder words = new StringBuilder("./" + name());
    for (OptionSpec option : given.matchedOptions()) {
      if (option.type() != Path.class) {
        words.append(' ').append(option.longestName());
        List<String> values = option.originalStringValues();
        words.append(option.arity().max() == 0 ? "" : " " + values.get(0));
      }
    }
    return words.toString();
  }

  private String name() {
    return getClass().getAnnotation(Command.class).name();
  }

  /** Returns the help text of the command, without the end of the last line. */
  public final String help() {
    String file = "help/" + name().split(" ")[1] + ".txt";
    InputStream own = getClass().getResourceAsStream(file);
    try (InputStream in = own == null ? getClass().getResourceAsStream(TEXTS + file) : own) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

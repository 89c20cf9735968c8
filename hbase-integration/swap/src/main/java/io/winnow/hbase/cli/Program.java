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
import java.util.stream.Collectors;
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
 * A command of the command line. Its name is that of picocli's {@link Command} on its class, its
 * options are the fields with {@link Option}, and {@link Range} says what their numbers may be. Its
 * help is a text file, which the launcher prints without a build and without Java.
 */
public abstract class Program {
  public static final int DONE = 0;
  public static final int FAILED = 1;
  public static final int WRONG_USAGE = 64;

  /** Texts of those commands that are not in the package of theirs. */
  private static final String TEXTS = "/io/winnow/hbase/command/";

  /** Where it says what it found; {@link #err} is for progress and what went wrong. */
  protected PrintStream out = System.out;

  protected PrintStream err = System.err;

  /** So is -h, but in a command that has it for something else. */
  @Option(names = "--help", usageHelp = true)
  private boolean help;

  private ParseResult given;

  /**
   * Does what it is for.
   *
   * @return the exit code
   * @throws IOException with a message for the user, if it failed
   */
  protected abstract int work() throws IOException, InterruptedException;

  /**
   * Finds what is wrong with the options together, before anything is done.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  protected void check() {}

  /** Reads the command line and does what it says, or says what is wrong; gives the exit code. */
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

  /** Says that the command line is wrong. */
  protected int refuse(String sentence) {
    err.println(name() + ": " + sentence + "\n" + help());
    return WRONG_USAGE;
  }

  /** Says why the work failed. */
  protected int fail(Exception e) {
    err.println(name() + ": " + UserFiles.sentence(e));
    return FAILED;
  }

  /**
   * A program with the options of this command line, for {@link #work}.
   *
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
      return most; // out of the range that the option has
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
   * A number that is a part of an option's value.
   *
   * @throws IllegalArgumentException with a message for the user, if it is none, or out of range
   */
  public static double number(String option, String text, double min, double max) {
    try {
      double value = new BigDecimal(text).doubleValue();
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The same message as for a number out of range.
    }
    throw new IllegalArgumentException(noNumber("--" + option, text, words(min, max)));
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

  /** Whether an option was given. */
  protected final boolean has(String option) {
    return given.hasMatchedOption("--" + option);
  }

  /** Refuses an option together with any of the others. */
  protected final void exclude(String option, String... others) {
    for (String other : others) {
      if (has(option) && has(other)) {
        throw new IllegalArgumentException(
            "--" + option + " and --" + other + " exclude each other");
      }
    }
  }

  /** The command line as it is told in results: without names of files. */
  protected final String told() {
    StringBuilder told = new StringBuilder("./" + name());
    for (OptionSpec option : given.matchedOptions()) {
      if (option.type() != Path.class) {
        told.append(' ').append(option.longestName());
        List<String> values = option.originalStringValues();
        told.append(option.arity().max() == 0 ? "" : " " + values.get(0));
      }
    }
    return told.toString();
  }

  private String name() {
    return getClass().getAnnotation(Command.class).name();
  }

  /** Its text, without the end of the last line: of all commands of a family it is the same. */
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

package io.winnow.hbase.tools;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.util.VersionInfo;
import org.apache.hadoop.util.GenericOptionsParser;

/**
 * Runner of the operator's tools, which finds a tool by its name. They run with the agent in their
 * JVM or without it, on any file system that Hadoop can open.
 */
public final class Tools {
  private static final String HFILE = "hfile";

  private static final Map<String, Supplier<? extends Program>> TOOLS = new LinkedHashMap<>();

  static {
    TOOLS.put("advise", Advise::new);
    TOOLS.put("audit", Audit::new);
    TOOLS.put("convert", Convert::new);
    TOOLS.put("doctor", Doctor::new);
    TOOLS.put(HFILE, Hfile::new);
    TOOLS.put("inspect", Inspect::new);
    TOOLS.put("plan", Plan::new);
  }

  private Tools() {}

  /**
   * Runs the tool that the first argument names, and exits with its code. {@link Winnow} calls it
   * by name.
   */
  public static void main(String... args) {
    QuietEnd.install();
    System.exit(run(HBaseConfiguration.create(), System.out, System.err, args));
  }

  static int run(Configuration conf, PrintStream out, PrintStream err, String... args) {
    String command = args.length == 0 ? "help" : args[0];
    if (List.of("help", "--help", "-h").contains(command)) {
      out.print(help());
      return Tool.DONE;
    }
    Supplier<? extends Program> maker = TOOLS.get(command);
    if (maker == null) {
      err.println("winnow: there is no command " + command);
      err.print(help());
      return Tool.WRONG_USAGE;
    }
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    try {
      if (command.equals(HFILE)) {
        return Hfile.execute(conf, out, err, rest); // its options are HBase's own, including -h
      }
      // options of Hadoop, such as -D key=value
      rest = new GenericOptionsParser(conf, settingsFirst(rest)).getRemainingArgs();
    } catch (IOException e) {
      err.println("winnow " + command + ": " + UserFiles.sentence(e));
      return Tool.WRONG_USAGE;
    }
    if (List.of(rest).contains("--help") || List.of(rest).contains("-h")) {
      rest = new String[] {"--help"}; // and no other argument is checked
    }
    try {
      Tool tool = (Tool) maker.get();
      tool.conf = conf;
      return tool.run(out, err, rest);
    } catch (NoSuchMethodError | NoSuchFieldError | NoClassDefFoundError e) {
      err.println(
          String.format(
              "winnow %s: it does not work with HBase %s, which lacks %s",
              command, VersionInfo.getVersion(), e.getMessage()));
      return Tool.FAILED;
    }
  }

  /**
   * Moves settings such as {@code -D key=value} to the front of the command line, where Hadoop's
   * parser expects them, so that users may write them anywhere.
   */
  private static String[] settingsFirst(String... args) {
    List<String> settings = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("-D") && i + 1 < args.length) {
        settings.add(args[i] + args[++i]);
      } else {
        (args[i].startsWith("-D") ? settings : others).add(args[i]);
      }
    }
    settings.addAll(others);
    return settings.toArray(String[]::new);
  }

  private static String help() {
    StringBuilder text = new StringBuilder("usage: winnow COMMAND [ARGUMENT...]\n\n");
    TOOLS.forEach(
        (name, maker) -> {
          String does = maker.get().help().lines().skip(2).findFirst().orElse("");
          text.append(String.format("  %-9s%s%n", name, does));
        });
    return text.append("\nFor more: winnow COMMAND --help\n").toString();
  }
}

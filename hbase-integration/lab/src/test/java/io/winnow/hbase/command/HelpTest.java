package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What each command says of itself, and to one who calls it wrongly. */
class HelpTest {
  private static final Path LAUNCHER = Path.of("..", "..", "winnow");
  private static final String RESOURCES = "src/main/resources/io/winnow/hbase";

  /** Where the texts are: those of the lab's commands, and those of the operator's tools. */
  private static final List<Path> TEXTS =
      List.of(
          Path.of(RESOURCES, "command", "help"), Path.of("..", "swap", RESOURCES, "tools", "help"));

  private static final int WRONG_USAGE = 64;

  @TempDir Path directory;

  /** What came of it. */
  private record Result(int exitCode, String output, String errors) {}

  private Result run(List<String> command) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
    builder.environment().put("JAVA_HOME", directory.resolve("no-java").toString());
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(10, TimeUnit.MINUTES), command::toString);
      return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    } finally {
      process.destroyForcibly();
    }
  }

  /** By the launcher, which finds no Java here. */
  private Result launch(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", LAUNCHER.toString()));
    command.addAll(List.of(arguments));
    return run(command);
  }

  /** The files of texts, by their commands. */
  private static Map<String, Path> texts() throws IOException {
    Map<String, Path> texts = new TreeMap<>();
    for (Path directory : TEXTS) {
      try (var files = Files.list(directory)) {
        files.forEach(file -> texts.put(file.getFileName().toString().replace(".txt", ""), file));
      }
    }
    return texts;
  }

  @Test
  void everyCommandOfTheLauncherHasAHelp() throws Exception {
    Result result = launch("help");
    assertEquals(0, result.exitCode);
    Set<String> commands = new TreeSet<>();
    Matcher name = Pattern.compile("(?m)^  ([a-z]+)( [A-Z]+| bench)? {2,}").matcher(result.output);
    while (name.find()) {
      commands.add(name.group(1));
    }
    assertTrue(commands.remove("help"), result.output);
    assertEquals(texts().keySet(), commands);
  }

  @Test
  void helpComesAtOnceAndWithoutAJava() throws Exception {
    for (Map.Entry<String, Path> text : texts().entrySet()) {
      String command = text.getKey();
      List<Result> results = new ArrayList<>();
      results.add(launch(command, "--help"));
      results.add(launch("help", command));
      results.add(launch(command, "--something", "else", "--help"));
      if (!command.equals("hfile")) { // there it is an option of HBase's own
        results.add(launch(command, "-h"));
      }
      for (Result result : results) {
        assertEquals(new Result(0, Files.readString(text.getValue()), ""), result, command);
      }
    }
  }

  @Test
  void aTextSaysHowTheCommandIsCalled() throws IOException {
    for (Map.Entry<String, Path> file : texts().entrySet()) {
      String text = Files.readString(file.getValue());
      String command = file.getKey();
      String usage = text.lines().findFirst().orElse("");
      assertTrue(usage.matches("usage: (\\./)?winnow " + command + "( .*)?"), usage);
      assertTrue(text.lines().skip(1).anyMatch(line -> !line.isBlank()), command);
      text.lines().forEach(line -> assertTrue(line.length() <= 110, line));
    }
  }

  @Test
  void theLauncherRefusesWhatIsWrongWithoutAJava() throws Exception {
    for (String[] wrong :
        new String[][] {
          {"nosuch"},
          {"cascade"},
          {"flash"},
          {"cascade", "nosuch"},
          {"dedup"},
          {"flash", "nosuch"},
          {"dedup", "nosuch"},
          {"build", "nosuch"}
        }) {
      Result result = launch(wrong);
      assertEquals(WRONG_USAGE, result.exitCode, result.errors);
      assertTrue(result.errors.startsWith("winnow"), result.errors);
      assertTrue(result.errors.contains("usage: ./winnow "), result.errors);
      assertEquals("", result.output);
    }
  }

  /** Of this module: each command by the class that the launcher starts for it. */
  private static Map<String, List<String>> programs() throws IOException {
    Map<String, List<String>> programs = new TreeMap<>();
    Matcher line =
        Pattern.compile(
                "(?m)^  (\\S.*)\\) (?:without_agent )?\\w+ "
                    + "(io\\.winnow\\.hbase\\.\\S+)( \"\\$command\")?")
            .matcher(Files.readString(LAUNCHER));
    while (line.find()) {
      for (String command : line.group(1).split(" \\| ")) {
        List<String> program = new ArrayList<>(List.of(line.group(2)));
        if (line.group(3) != null) {
          program.add(command);
        }
        programs.put(command, program);
      }
    }
    return programs;
  }

  /** By Java, as the launcher starts it. */
  @Test
  void everyCommandRefusesAnOptionThatItDoesNotKnow() throws Exception {
    Map<String, List<String>> programs = programs();
    assertTrue(programs.size() >= 10, programs::toString);
    for (Map.Entry<String, List<String>> program : programs.entrySet()) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(program.getValue());
      command.add("--nosuch");
      Result result = run(command);
      assertEquals(WRONG_USAGE, result.exitCode, result.errors);
      assertTrue(result.errors.contains("winnow " + program.getKey() + ": "), result.errors);
      assertTrue(result.errors.contains("nosuch"), result.errors);
      assertFalse(result.errors.contains("\tat "), result.errors);
      assertEquals("", result.output);
    }
  }

  /** A text is written by hand: it has the options that the command knows, and no other. */
  @Test
  void aTextTellsOfEachOption() throws Exception {
    for (List<String> program : programs().values()) {
      String name = program.get(0);
      if (program.size() == 2) {
        String tool = program.get(1);
        name =
            "io.winnow.hbase.tools."
                + tool.substring(0, 1).toUpperCase(Locale.ROOT)
                + tool.substring(1);
      }
      Constructor<?> maker = Class.forName(name).getDeclaredConstructor();
      maker.setAccessible(true);
      Program command = (Program) maker.newInstance();
      Set<String> told = new TreeSet<>();
      Matcher option = Pattern.compile("(?m)^ +(-.*)|^usage: .*").matcher(command.help());
      while (option.find()) {
        Pattern.compile("(?<= |^|\\[)--?[a-z][a-z-]*")
            .matcher(option.group())
            .results()
            .forEach(one -> told.add(one.group()));
      }
      Set<String> known =
          new TreeSet<>(new CommandLine(command).getCommandSpec().optionsMap().keySet());
      if (name.endsWith(".Hfile")) { // where the text has the short names
        known.removeIf(one -> one.length() > 2 && !one.equals("--help"));
      } else {
        known.removeIf(one -> one.equals("--help") && program.size() == 2);
      }
      assertEquals(known, told, name);
    }
  }
}

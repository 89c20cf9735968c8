package io.winnow.hbase.tools;

import io.winnow.hbase.AgentState;
import io.winnow.hbase.agent.Fit;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code doctor}: reports whether the agent will start on this host, which of its
 * features will be off, and what to do.
 */
@Command(name = "winnow doctor")
final class Doctor extends Tool {
  /** Exit code if the agent starts and the JVMs have its option, but one of its features is off. */
  static final int SOME_OFF = 4;

  private static final String ENV = "hbase-env.sh";
  private static final String OF_REGION_SERVER = "HBASE_REGIONSERVER_OPTS";
  private static final String OF_MASTER = "HBASE_MASTER_OPTS";
  private static final String OF_ALL = "HBASE_OPTS";
  private static final String NEWER_JAVA = "Give HBase a newer Java: JAVA_HOME in " + ENV + ".";
  private static final Pattern JAVA_VERSION = Pattern.compile("JAVA_VERSION=\"([^\"]+)\"");

  /** Findings of the command {@code doctor}, as they stand in its JSON document. */
  private static final class Outcome {
    String winnow = AgentState.version();
    String java;
    String javaHome;
    boolean javaIsTooOld;

    /** Version of hbase-server; null if it is not on the class path. */
    String hbase;

    String hbaseCommon;
    boolean starts;

    /** Reason why the agent does not start; null if it starts. */
    String problem;

    final Map<String, String> off = new LinkedHashMap<>();

    /** Path of the {@code hbase-env.sh} that was read; null if there is none. */
    String envFile;

    String agentOfRegionServer;
    String agentOfMaster;

    /**
     * Variables that give a server the agent and come from the environment, as in containers, not
     * from {@code hbase-env.sh}.
     */
    final List<String> ofEnvironment = new ArrayList<>();

    final List<String> toDo = new ArrayList<>();
    int exitCode;

    /**
     * Adds a step to the list of what the user should do, unless it is there: region servers and
     * masters may both need it.
     */
    void add(String step) {
      if (!toDo.contains(step)) {
        toDo.add(step);
      }
    }
  }

  @Option(names = "--classpath")
  private String classpath;

  @Option(names = "--env")
  private Path named;

  /** Environment variables of this process, which tests replace. */
  Map<String, String> environment = System.getenv();

  @Override
  protected void check() {
    if (named != null && !Files.isReadable(named)) {
      throw new IllegalArgumentException("--env " + named + " cannot be read");
    }
  }

  @Override
  int execute() throws IOException {
    Outcome outcome = new Outcome();
    Path file = envFile();
    EnvFile env = EnvFile.read(file, Map.of());
    outcome.envFile = file == null ? null : file.toString();
    java(outcome, env);
    try (URLClassLoader other = other()) {
      agent(outcome, Fit.of(other == null ? ClassLoader.getSystemClassLoader() : other));
    }
    lines(outcome, env, EnvFile.read(file, ofServers()));
    outcome.exitCode = exitCode(outcome);
    out.print(text(outcome));
    write(outcome);
    return outcome.exitCode;
  }

  /**
   * Returns a class loader of the HBase that {@code --classpath} names; null without that option,
   * since the HBase of this JVM is then meant.
   */
  private URLClassLoader other() throws IOException {
    if (classpath == null) {
      return null;
    }
    List<URL> urls = new ArrayList<>();
    for (String element : classpath.trim().split(File.pathSeparator)) {
      try {
        add(element, urls);
      } catch (InvalidPathException | MalformedURLException e) {
        throw new IllegalArgumentException("--classpath: " + element + " is no path", e);
      }
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  /**
   * Adds the URLs of an element of a class path, which is a jar, a directory, or all jars of a
   * directory, as {@code java -cp} reads it.
   */
  private static void add(String element, List<URL> urls) throws IOException {
    if (!element.equals("*") && !element.endsWith(File.separator + "*")) {
      urls.add(Path.of(element).toUri().toURL());
      return;
    }
    Path directory = Path.of(element.substring(0, element.length() - 1));
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, "*.{jar,JAR}")) {
        for (Path jar : jars) {
          urls.add(jar.toUri().toURL());
        }
      }
    }
  }

  /** Returns the path of the {@code hbase-env.sh} to read; null if none is found. */
  private Path envFile() {
    if (named != null) {
      return named;
    }
    List<Path> candidates = new ArrayList<>();
    String directory = environment.get("HBASE_CONF_DIR");
    String home = environment.get("HBASE_HOME");
    if (directory != null && !directory.isEmpty()) {
      candidates.add(Path.of(directory, ENV));
    } else if (home != null && !home.isEmpty()) {
      candidates.add(Path.of(home, "conf", ENV));
    }
    URL onClassPath = ClassLoader.getSystemResource(ENV);
    if (onClassPath != null && onClassPath.getProtocol().equals("file")) {
      try {
        candidates.add(Path.of(onClassPath.toURI()));
      } catch (URISyntaxException e) {
        // A location that is no path has no file to read.
      }
    }
    return candidates.stream().filter(Files::isReadable).findFirst().orElse(null);
  }

  /**
   * Finds the Java that the servers run: the one that hbase-env.sh names, or else that of this JVM.
   */
  private static void java(Outcome outcome, EnvFile env) {
    outcome.java = System.getProperty("java.version");
    outcome.javaHome = System.getProperty("java.home");
    String home = env.get("JAVA_HOME");
    if (home != null && !home.isEmpty() && !home.contains("$")) {
      String version = "unknown";
      try {
        byte[] release = Files.readAllBytes(Path.of(home, "release"));
        Matcher found = JAVA_VERSION.matcher(new String(release, StandardCharsets.UTF_8));
        version = found.find() ? found.group(1) : version;
      } catch (IOException | InvalidPathException e) {
        outcome.toDo.add(
            "Check which Java is in " + home + ": it has no file 'release' with a version.");
      }
      outcome.java = version;
      outcome.javaHome = home;
    }
    outcome.javaIsTooOld = Fit.isTooOld(outcome.java);
  }

  private static void agent(Outcome outcome, Fit fit) {
    outcome.hbase = fit.hasServer ? fit.hbase : null;
    outcome.hbaseCommon = fit.common;
    outcome.off.putAll(fit.off);
    if (!fit.hasServer) {
      outcome.problem = "there is no hbase-server on the class path";
      outcome.toDo.add(
          "Run it by 'hbase io.winnow.hbase.tools.Winnow doctor' on a host with HBase, or name its"
              + " class path: --classpath \"$(hbase --internal-classpath classpath)\".");
    } else if (fit.refusal != null) {
      outcome.problem = fit.refusal;
      outcome.toDo.add(
          "Leave the agent off this HBase: with it the servers do not start. Use one of the"
              + " releases in docs/versions.md, or a Winnow that is made for this one.");
    } else if (outcome.javaIsTooOld) {
      outcome.problem = "Java " + outcome.java + " is too old for it";
      outcome.toDo.add(NEWER_JAVA);
    }
    outcome.starts = outcome.problem == null;
    if (outcome.starts && !outcome.hbase.equals(outcome.hbaseCommon) && fit.hasKnownVersions()) {
      outcome.toDo.add(
          ("Check the class path: hbase-server is " + outcome.hbase)
              + (", and hbase-common beside it is " + outcome.hbaseCommon + "."));
    }
  }

  /**
   * Returns the variables of HBase's servers that are set in the environment; empty if {@code
   * --env} names a file, which is then the only source. HBASE_OPTS is left out, because users set
   * it to run one tool with the agent.
   */
  private Map<String, String> ofServers() {
    Map<String, String> found = new TreeMap<>(environment);
    found.keySet().retainAll(named == null ? List.of(OF_REGION_SERVER, OF_MASTER) : List.of());
    return found;
  }

  private static void lines(Outcome outcome, EnvFile file, EnvFile withEnvironment) {
    EnvFile.Agent ofRegionServer = agent(outcome, OF_REGION_SERVER, file, withEnvironment);
    EnvFile.Agent ofMaster = agent(outcome, OF_MASTER, file, withEnvironment);
    if (outcome.envFile == null && ofRegionServer == null && ofMaster == null) {
      outcome.toDo.add("Name the file of the servers' options: --env /path/of/" + ENV + ".");
      return;
    }
    outcome.agentOfRegionServer = ofRegionServer == null ? null : ofRegionServer.jar;
    outcome.agentOfMaster = ofMaster == null ? null : ofMaster.jar;
    check(outcome, OF_REGION_SERVER, ofRegionServer);
    check(outcome, OF_MASTER, ofMaster);
  }

  private static EnvFile.Agent agent(
      Outcome outcome, String variable, EnvFile file, EnvFile withEnvironment) {
    EnvFile.Agent agent = file.agentIn(variable, OF_ALL);
    if (agent == null) {
      agent = withEnvironment.agentIn(variable);
      if (agent != null) {
        outcome.ofEnvironment.add(variable);
      }
    }
    return agent;
  }

  private static void check(Outcome outcome, String variable, EnvFile.Agent agent) {
    String place =
        outcome.envFile == null || outcome.ofEnvironment.contains(variable)
            ? "the environment"
            : outcome.envFile;
    if (agent == null) {
      if (outcome.starts) {
        outcome.toDo.add(
            ("Add to " + place + ": export " + variable + "=\"$" + variable)
                + (" -javaagent:" + ownJar() + "\""));
      }
    } else if (!outcome.starts) {
      String when = outcome.toDo.contains(NEWER_JAVA) ? "Until then take" : "Take";
      outcome.add(when + " the agent off " + agent.variable + " in " + place + ".");
    } else if (!agent.jar.contains("$") && !Files.isReadable(Path.of(agent.jar))) {
      outcome.add(
          "Copy the jar to " + agent.jar + ", which cannot be read: Java does not start without.");
    } else {
      try {
        Fit.switchedOff(agent.argument)
            .forEach(
                (feature, why) -> outcome.off.putIfAbsent(feature, why + " in " + agent.variable));
      } catch (IllegalArgumentException e) {
        outcome.add("Correct " + agent.variable + " in " + place + ": " + e.getMessage());
      }
    }
  }

  /**
   * Returns the path of Winnow's jar, or the path that the documentation uses if Winnow's classes
   * are not in a jar.
   */
  private static String ownJar() {
    try {
      Path own = Path.of(Doctor.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isRegularFile(own)) {
        return own.toString();
      }
    } catch (URISyntaxException | RuntimeException e) {
      // The path in the documentation is returned.
    }
    return "/opt/winnow/winnow-hbase.jar";
  }

  private static int exitCode(Outcome outcome) {
    if (!outcome.starts) {
      return FAILED;
    }
    if (!outcome.toDo.isEmpty()) {
      return FOUND;
    }
    return outcome.off.isEmpty() ? DONE : SOME_OFF;
  }

  private static String text(Outcome outcome) {
    StringBuilder text = new StringBuilder();
    line(text, "Agent", outcome.starts ? "it starts" : "it does not start: " + outcome.problem);
    line(text, "Winnow", outcome.winnow);
    line(text, "Java", outcome.java + " in " + outcome.javaHome);
    line(text, "hbase-server", outcome.hbase == null ? "none" : outcome.hbase);
    if (outcome.starts) {
      line(text, "Off", outcome.off.isEmpty() ? "nothing" : "these; the filters work without");
      outcome.off.forEach((feature, why) -> line(text, "", feature + ": " + why));
    }
    line(text, ENV, outcome.envFile == null ? "not found" : outcome.envFile);
    if (outcome.envFile != null || !outcome.ofEnvironment.isEmpty()) {
      line(text, "", "region server: " + agent(outcome, OF_REGION_SERVER));
      line(text, "", "master: " + agent(outcome, OF_MASTER));
    }
    line(text, "To do", outcome.toDo.isEmpty() ? "nothing" : "");
    outcome.toDo.forEach(step -> line(text, "", step));
    return text.toString();
  }

  private static String agent(Outcome outcome, String variable) {
    String jar = variable.equals(OF_MASTER) ? outcome.agentOfMaster : outcome.agentOfRegionServer;
    return (jar == null ? "no -javaagent of Winnow" : "-javaagent:" + jar)
        + (outcome.ofEnvironment.contains(variable) ? ", from the environment" : "");
  }

  private static void line(StringBuilder text, String title, String words) {
    text.append(String.format("%-14s%s", title, words).stripTrailing()).append('\n');
  }
}

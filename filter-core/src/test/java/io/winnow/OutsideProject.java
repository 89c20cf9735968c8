package io.winnow;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A project of its own that takes Winnow, as a user's does. Maven builds it, with a local
 * repository that has nothing of Winnow but what a test puts there. Plugins and the libraries that
 * Winnow needs come from where this build has them, so that nothing is downloaded twice, and a
 * build with {@code -o} does not download at all.
 */
public final class OutsideProject {
  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>outside</groupId>
        <artifactId>outside</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>17</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
      %s
        <build>
          <plugins>
            <plugin>
              <artifactId>maven-resources-plugin</artifactId>
              <version>%s</version>
            </plugin>
            <plugin>
              <artifactId>maven-compiler-plugin</artifactId>
              <version>%s</version>
            </plugin>
            <plugin>
              <artifactId>maven-dependency-plugin</artifactId>
              <version>%s</version>
              <executions>
                <execution>
                  <phase>compile</phase>
                  <goals>
                    <goal>copy-dependencies</goal>
                  </goals>
                  <configuration>
                    <includeScope>runtime</includeScope>
                    <outputDirectory>${project.build.directory}/libraries</outputDirectory>
                  </configuration>
                </execution>
              </executions>
            </plugin>
          </plugins>
        </build>
      </project>
      """;

  private final Path checkout;
  private final Path directory;
  private final Path repository;

  /** Of this checkout's versions of Maven's plugins. Nothing of an earlier run is left. */
  public OutsideProject(Path checkout, Path directory) throws IOException {
    this.checkout = checkout;
    this.directory = directory.resolve("project").toAbsolutePath();
    repository = directory.resolve("repository").toAbsolutePath();
    delete(this.directory);
    delete(repository.resolve("io/winnow")); // what else is there was downloaded
    Files.createDirectories(this.directory);
  }

  /** The local repository of its Maven. */
  public Path repository() {
    return repository;
  }

  public Path classes() {
    return directory.resolve("target/classes");
  }

  /** What its dependencies bring. */
  public Path libraries() {
    return directory.resolve("target/libraries");
  }

  /** Compiles its only class, with these elements of the POM. */
  public void compile(String elements, String program) throws Exception {
    Path sources = Files.createDirectories(directory.resolve("src/main/java"));
    Files.writeString(sources.resolve("Program.java"), program);
    Path pom = directory.resolve("pom.xml");
    Files.writeString(
        pom,
        POM.formatted(
            elements,
            pluginVersion("resources"),
            pluginVersion("compiler"),
            pluginVersion("dependency")));
    List<String> maven = maven(pom);
    maven.add("-Dmaven.repo.local=" + repository);
    maven.add("-Dmaven.repo.local.tail=" + System.getProperty("winnow.maven.repository"));
    maven.add("compile");
    run(maven, Map.of());
  }

  /** What its {@code main} prints. */
  public String runProgram(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.add("Program");
    return run(command, Map.of());
  }

  /** The Maven that runs this build, as it was started. */
  public static List<String> maven(Path pom) {
    List<String> maven = new ArrayList<>();
    maven.add(Path.of(System.getProperty("winnow.maven.home"), "bin", "mvn").toString());
    maven.addAll(List.of("-B", "-e", "-ntp", "-f", pom.toString()));
    if (System.getProperty("winnow.maven.offline").equals("offline=true")) {
      maven.addAll(List.of("-o", "-Daether.offline.protocols=file"));
    }
    Path settings = Path.of(System.getProperty("winnow.maven.settings"));
    if (Files.exists(settings)) {
      maven.addAll(List.of("-s", settings.toString()));
    }
    return maven;
  }

  /** What the command prints. It must end by itself, and well. */
  public static String run(List<String> command, Map<String, String> environment) throws Exception {
    Path output = Files.createTempFile("winnow-output", ".txt");
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
      builder.environment().putAll(environment);
      Process process = builder.redirectOutput(output.toFile()).start();
      boolean ended = process.waitFor(30, TimeUnit.MINUTES); // a download may be slow
      process.destroyForcibly();
      if (!ended || process.exitValue() != 0) {
        fail(String.join(" ", command) + "\n" + Files.readString(output));
      }
      return Files.readString(output);
    } finally {
      Files.delete(output);
    }
  }

  /** The parent's, which this build has most likely downloaded. */
  private String pluginVersion(String name) throws IOException {
    String parent = Files.readString(checkout.resolve("pom.xml"));
    String regex = "<artifactId>maven-" + name + "-plugin</artifactId>\\s*<version>([^<]*)<";
    Matcher version = Pattern.compile(regex).matcher(parent);
    assertTrue(version.find(), regex);
    return version.group(1);
  }

  public static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (var paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}

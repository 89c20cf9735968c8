package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of hosts with the published jars of some releases, one among them too old. */
class DoctorTest {
  private static final Path OTHER_LINES = Path.of(System.getProperty("winnow.other.lines"));

  @TempDir Path dir;

  private Path agent;

  @BeforeEach
  void putTheJarThere() throws IOException {
    agent = Files.createFile(dir.resolve("winnow-hbase.jar"));
  }

  /** The class path of these tests with another hbase-server. */
  private static String classPath(String server) {
    List<String> elements = new ArrayList<>();
    if (server != null) {
      elements.add(OTHER_LINES.resolve("hbase-server-" + server + ".jar").toString());
    }
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!element.contains("hbase-server-")) {
        elements.add(element);
      }
    }
    return String.join(File.pathSeparator, elements);
  }

  private Path env(String... lines) throws IOException {
    return Files.write(dir.resolve("hbase-env.sh"), List.of(lines));
  }

  private Path goodEnv() throws IOException {
    return env(
        "# export HBASE_OPTS=\"-javaagent:/elsewhere/winnow-hbase.jar\"",
        "export WINNOW=" + dir,
        "export HBASE_MASTER_OPTS=\"$HBASE_MASTER_OPTS -javaagent:$WINNOW/winnow-hbase.jar\"",
        "export HBASE_REGIONSERVER_OPTS=\"-Xmx8g \\",
        "  -javaagent:${WINNOW}/winnow-hbase.jar=optional\"");
  }

  private JsonNode json(int code, String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of("doctor", "--json", dir + "/out.json"));
    all.addAll(List.of(args));
    Ran ran = run(new Configuration(false), all.toArray(String[]::new));
    assertEquals(code, ran.code(), ran.toString());
    JsonNode document = new ObjectMapper().readTree(dir.resolve("out.json").toFile());
    assertEquals(code, document.get("exitCode").asInt());
    return document;
  }

  private static List<String> steps(JsonNode document) {
    List<String> steps = new ArrayList<>();
    document.get("toDo").forEach(step -> steps.add(step.asText()));
    return steps;
  }

  /** The HBase of the tests. */
  @Test
  void allIsWell() throws Exception {
    Ran ran = run(new Configuration(false), "doctor", "--env", goodEnv().toString());
    assertEquals(Tool.DONE, ran.code(), ran.toString());
    assertTrue(ran.out().startsWith("Agent         it starts\n"), "the answer is first");
    for (String line :
        List.of(
            "hbase-server  " + org.apache.hadoop.hbase.util.VersionInfo.getVersion(),
            "Off           nothing",
            "              region server: -javaagent:" + agent,
            "              master: -javaagent:" + agent,
            "To do         nothing")) {
      assertTrue(ran.out().contains(line + "\n"), line + " is not in:\n" + ran.out());
    }
    assertTrue(ran.out().contains(System.getProperty("java.home")), ran.out());
  }

  /** They are woven; the rest of HBase beside them is of another release, which is told. */
  @ParameterizedTest
  @ValueSource(strings = {"2.5.13-hadoop3", "2.6.5", "2.6.6"})
  void releaseThatFits(String version) throws Exception {
    JsonNode found =
        json(Tool.FOUND, "--classpath", classPath(version), "--env", goodEnv().toString());
    assertEquals(version, found.get("hbase").asText());
    assertTrue(found.get("starts").asBoolean());
    assertTrue(found.get("off").isEmpty(), found.toString());
    String mixed =
        "Check the class path: hbase-server is %s, and hbase-common beside it is %s."
            .formatted(version, org.apache.hadoop.hbase.util.VersionInfo.getVersion());
    assertEquals(List.of(mixed), steps(found));
  }

  @Test
  void releaseThatCannotBeWoven() throws Exception {
    JsonNode found =
        json(Tool.FAILED, "--classpath", classPath("2.4.18"), "--env", goodEnv().toString());
    assertEquals("2.4.18", found.get("hbase").asText());
    assertFalse(found.get("starts").asBoolean());
    assertTrue(
        found.get("problem").asText().contains("no static BloomFilter createFromMeta("),
        found.toString());
    assertEquals(3, steps(found).size(), found.toString());
    assertTrue(steps(found).get(0).startsWith("Leave the agent off this HBase"));
    assertTrue(steps(found).get(1).startsWith("Take the agent off HBASE_REGIONSERVER_OPTS"));
  }

  @Test
  void hostWithoutAServer() throws Exception {
    JsonNode found = json(Tool.FAILED, "--classpath", classPath(null), "--env", env().toString());
    assertTrue(found.get("hbase") == null, found.toString());
    assertEquals("there is no hbase-server on the class path", found.get("problem").asText());
  }

  /** A build of a vendor may lack what one feature needs. */
  @Test
  void whatIsOffIsToldWithTheReason() throws Exception {
    Path classes = Files.createDirectories(dir.resolve("vendor"));
    String checker = "org/apache/hadoop/hbase/util/TableDescriptorChecker.class";
    Files.createDirectories(classes.resolve(checker).getParent());
    byte[] other =
        DoctorTest.class
            .getResourceAsStream("/org/apache/hadoop/hbase/util/FSUtils.class")
            .readAllBytes();
    Files.write(classes.resolve(checker), other);
    String path = classes + File.pathSeparator + System.getProperty("java.class.path");
    JsonNode found = json(Doctor.SOME_OFF, "--classpath", path, "--env", goodEnv().toString());
    assertEquals(
        "TableDescriptorChecker: it calls itself org.apache.hadoop.hbase.util.FSUtils",
        found.get("off").get("check of settings at create and alter").asText());
    assertEquals(List.of(), steps(found));
  }

  @Test
  void linesThatAreMissingAreToldToCopy() throws Exception {
    Path env = env("#export HBASE_MASTER_OPTS=\"-javaagent:" + agent + "\"", "export A=1");
    JsonNode found = json(Tool.FOUND, "--env", env.toString());
    assertEquals(2, steps(found).size(), found.toString());
    String line = steps(found).get(0).replaceFirst("^Add to " + env + ": ", "");
    assertTrue(
        line.matches(
            "export HBASE_REGIONSERVER_OPTS=\"\\$HBASE_REGIONSERVER_OPTS -javaagent:\\S+\\.jar\""),
        line);
    env(line, steps(found).get(1).replaceFirst("^Add to " + env + ": ", ""));
    found = json(Tool.FOUND, "--env", env.toString());
    assertTrue(steps(found).get(0).startsWith("Copy the jar to "), found.toString());
  }

  @Test
  void optionOfAllCommandsIsEnough() throws Exception {
    Path env = env("export HBASE_OPTS='-ea -javaagent:" + agent + "=optional'");
    JsonNode found = json(Tool.DONE, "--env", env.toString());
    assertEquals(agent.toString(), found.get("agentOfMaster").asText());
  }

  /** As in a container: no file has the lines. */
  @Test
  void environmentOfTheServersCounts() throws Exception {
    String option = "-Xss1m -javaagent:" + agent;
    Map<String, String> both =
        Map.of("HBASE_REGIONSERVER_OPTS", option, "HBASE_MASTER_OPTS", option + "=off=page");
    Ran ran = doctor(both);
    assertEquals(Doctor.SOME_OFF, ran.code(), ran.toString());
    for (String line :
        List.of(
            "page /winnow of the web UI, and the link to it: off=page in HBASE_MASTER_OPTS",
            "hbase-env.sh  not found",
            "region server: -javaagent:" + agent + ", from the environment",
            "master: -javaagent:" + agent + ", from the environment",
            "To do         nothing")) {
      assertTrue(ran.out().contains(line + "\n"), line + " is not in:\n" + ran.out());
    }
    ran = doctor(Map.of("HBASE_MASTER_OPTS", option));
    assertEquals(Tool.FOUND, ran.code(), ran.toString());
    assertTrue(ran.out().contains("Add to the environment: export HBASE_REGIONSERVER_OPTS="));
    ran = doctor(Map.of("HBASE_MASTER_OPTS", option + "=off=pages"));
    assertTrue(ran.out().contains("Correct HBASE_MASTER_OPTS in the environment: "), ran.out());
    // The option of a tool says nothing about servers.
    ran = doctor(Map.of("HBASE_OPTS", option));
    assertTrue(ran.out().contains("Name the file of the servers' options: "), ran.out());
  }

  @Test
  void fileThatReplacesWhatTheEnvironmentHasIsTold() throws Exception {
    String option = "-javaagent:" + agent;
    env(
        "export HBASE_REGIONSERVER_OPTS=\"$HBASE_REGIONSERVER_OPTS -Xmx8g\"",
        "export HBASE_MASTER_OPTS=-Xmx1g");
    Map<String, String> environment =
        Map.of(
            "HBASE_REGIONSERVER_OPTS",
            option,
            "HBASE_MASTER_OPTS",
            option,
            "HBASE_CONF_DIR",
            dir.toString());
    Ran ran = doctor(environment);
    assertEquals(Tool.FOUND, ran.code(), ran.toString());
    assertTrue(ran.out().contains("region server: " + option + ", from the environment\n"));
    assertTrue(ran.out().contains("master: no -javaagent of Winnow\n"), ran.out());
    assertTrue(ran.out().contains("Add to " + dir + "/hbase-env.sh: export HBASE_MASTER_OPTS="));
    assertFalse(ran.out().contains("export HBASE_REGIONSERVER_OPTS"), ran.out());
    // A file that is named counts alone.
    ran = doctor(environment, "--env", dir + "/hbase-env.sh");
    assertTrue(ran.out().contains("region server: no -javaagent of Winnow\n"), ran.out());
  }

  private static Ran doctor(Map<String, String> environment, String... args) throws Exception {
    Doctor doctor = new Doctor();
    doctor.conf = new Configuration(false);
    doctor.environment = environment;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
    int code = doctor.run(to, to, args);
    return new Ran(code, out.toString(StandardCharsets.UTF_8), "");
  }

  @Test
  void hooksThatTheServersSwitchOffAreTold() throws Exception {
    String option = "-javaagent:" + agent + "=off=page,scans,optional";
    Path env = env("export HBASE_OPTS=\"-ea " + option + " -Xss1m\"");
    JsonNode found = json(Doctor.SOME_OFF, "--env", env.toString());
    assertEquals(2, found.get("off").size(), found.toString());
    assertEquals("off=scans in HBASE_OPTS", found.get("off").get("files that scans skip").asText());
  }

  /** With it no server starts. */
  @ParameterizedTest
  @ValueSource(strings = {"optionl", "off=pages", "off=page,filters", "off="})
  void argumentThatTheAgentRefusesIsToBeCorrected(String argument) throws Exception {
    Path env = env("export HBASE_OPTS='-javaagent:" + agent + "=" + argument + "'");
    JsonNode found = json(Tool.FOUND, "--env", env.toString());
    assertEquals(1, steps(found).size(), found.toString());
    String step = "Correct HBASE_OPTS in " + env + ": the agent's argument ";
    assertTrue(steps(found).get(0).startsWith(step), found.toString());
  }

  @Test
  void javaOfTheServersIsLookedAt() throws Exception {
    Path home = Files.createDirectories(dir.resolve("jdk8"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"1.8.0_392\"\n");
    String line = "export JAVA_HOME=" + home + "\n";
    Path env = Files.writeString(goodEnv(), line, StandardOpenOption.APPEND);
    JsonNode found = json(Tool.FAILED, "--env", env.toString());
    assertEquals("Java 1.8.0_392 is too old for it", found.get("problem").asText());
    assertTrue(steps(found).get(1).startsWith("Until then take the agent off "), found.toString());
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"21.0.8\"\n");
    found = json(Tool.DONE, "--env", env.toString());
    assertEquals("21.0.8", found.get("java").asText());
    assertEquals(home.toString(), found.get("javaHome").asText());
  }

  @Test
  void whatIsNamedMustBeThere() throws Exception {
    Ran ran = run(new Configuration(false), "doctor", "--env", dir + "/nothing");
    assertEquals(Tool.WRONG_USAGE, ran.code());
    ran = run(new Configuration(false), "doctor", "hbase");
    assertEquals(Tool.WRONG_USAGE, ran.code());
  }
}

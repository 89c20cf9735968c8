package io.winnow.hbase.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.OutsideProject;
import io.winnow.hbase.metrics.TestRegion;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.w3c.dom.Element;

/**
 * What a person downloads: the archive, and the artifacts of a repository. A second build of the
 * same sources, in another directory and for another user, deploys the artifacts into a directory,
 * signs them, and makes the archives once more.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DistIT {
  private static final String VERSION = System.getProperty("winnow.version");
  private static final Path CHECKOUT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Path DIRECTORY =
      Path.of(System.getProperty("winnow.it.directory")).toAbsolutePath();
  private static final Path SECOND = DIRECTORY.resolve("second");
  private static final Path DEPLOYED = DIRECTORY.resolve("deployed");
  private static final List<String> FORMATS = List.of(".tar.gz", ".zip");
  private static final Set<String> JARS = Set.of("filter-core", "hbase-dedup", "winnow-hbase");

  /** The unpacked archive. */
  private static final Path HOME = DIRECTORY.resolve("unpacked/winnow-" + VERSION);

  private static final int ROWS = 3000;

  private boolean signed;

  private static String archive(String format) {
    return System.getProperty("winnow.archive") + format;
  }

  @BeforeAll
  void unpackAndBuildAgain() throws Exception {
    OutsideProject.delete(DIRECTORY);
    Files.createDirectories(HOME.getParent());
    run(Map.of(), "tar", "-xzf", archive(".tar.gz"), "-C", HOME.getParent().toString());
    copyTheSources();
    List<String> maven = OutsideProject.maven(SECOND.resolve("pom.xml"));
    maven.remove("-o"); // it refuses to deploy, into a directory too; all that it needs is there
    maven.addAll(
        List.of(
            "-pl",
            "filter-core,hbase-integration/dedup,hbase-integration/dist,hbase-integration/dist/bom",
            "-am",
            "-DskipTests",
            "-Dspotless.check.skip",
            "-Dmaven.install.skip",
            "-Dmaven.repo.local=" + System.getProperty("winnow.maven.repository"),
            "-DaltDeploymentRepository=here::" + DEPLOYED.toUri(),
            "deploy"));
    // A directory with a short name: the path of gpg's socket has a bound.
    Path keys = Files.createTempDirectory("keys");
    Map<String, String> environment = new HashMap<>(Map.of("TZ", "Asia/Kathmandu"));
    environment.put("GNUPGHOME", keys.toString());
    signed = Stream.of(System.getenv("PATH").split(":")).anyMatch(DistIT::hasGpg);
    try {
      if (signed) {
        List<String> key = new ArrayList<>(List.of("gpg", "--batch", "--passphrase", ""));
        key.addAll(List.of("--quick-gen-key", "Winnow test", "default", "default", "never"));
        OutsideProject.run(key, environment);
      }
      maven.add(signed ? "-Pdist,sign" : "-Pdist");
      List<String> strict = new ArrayList<>(List.of("sh", "-c", "umask 077; exec \"$@\"", "sh"));
      strict.addAll(maven);
      OutsideProject.run(strict, environment);
      if (signed) {
        for (Path file : deployed("")) {
          if (file.toString().endsWith(".asc")) {
            String of = file.toString().replaceAll("\\.asc$", "");
            run(environment, "gpg", "--batch", "--verify", file.toString(), of);
          }
        }
        run(environment, "gpgconf", "--kill", "all");
        for (int i = 0; i < 600 && hasSocket(keys); i++) { // its agent deletes them as it ends
          Thread.sleep(100);
        }
      }
    } finally {
      OutsideProject.delete(keys);
    }
  }

  private static boolean hasSocket(Path keys) throws IOException {
    try (Stream<Path> files = Files.list(keys)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith("S."));
    }
  }

  private static boolean hasGpg(String directory) {
    return Files.isExecutable(Path.of(directory, "gpg"));
  }

  /** All but what a build makes. */
  private static void copyTheSources() throws IOException {
    Set<String> left = Set.of("target", ".git");
    Files.walkFileTree(
        CHECKOUT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            if (left.contains(directory.getFileName().toString())) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(SECOND.resolve(CHECKOUT.relativize(directory)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile() && !left.contains(file.getFileName().toString())) {
              Files.copy(file, SECOND.resolve(CHECKOUT.relativize(file)));
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static String run(Map<String, String> environment, String first, String... more)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(first));
    command.addAll(List.of(more));
    return OutsideProject.run(command, environment);
  }

  @Test
  void twoBuildsMakeTheSameBytes() throws IOException {
    for (String format : FORMATS) {
      Path again = SECOND.resolve("target/winnow-" + VERSION + "-bin" + format);
      assertEquals(-1, Files.mismatch(Path.of(archive(format)), again), again.toString());
    }
    Path jar = SECOND.resolve("hbase-integration/target/winnow-hbase.jar");
    assertEquals(-1, Files.mismatch(HOME.resolve("winnow-hbase.jar"), jar));
  }

  private static Set<String> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> directory.relativize(file).toString())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void theArchiveHasAllThatIsPromised() throws IOException {
    Set<String> files = files(HOME);
    Set<String> tools = Set.of("advise", "audit", "convert", "doctor", "hfile", "inspect", "plan");
    Set<String> missing =
        new TreeSet<>(tools.stream().map(tool -> "help/" + tool + ".txt").toList());
    missing.addAll(
        Set.of(
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "LICENSE",
            "NOTICE",
            "README.md",
            "SECURITY.md",
            "SHA512SUMS",
            "winnow",
            "winnow-hbase.cdx.json",
            "winnow-hbase.jar"));
    try (Stream<Path> pages = Files.walk(CHECKOUT.resolve("docs"))) {
      pages
          .filter(page -> page.toString().endsWith(".md"))
          .forEach(page -> missing.add(CHECKOUT.relativize(page).toString()));
    }
    missing.removeAll(files);
    assertEquals(Set.of(), missing);
    assertTrue(Files.isExecutable(HOME.resolve("winnow")));
    for (String same : List.of("LICENSE", "NOTICE")) {
      assertEquals(-1, Files.mismatch(HOME.resolve(same), CHECKOUT.resolve(same)));
    }
    try (ZipFile zip = new ZipFile(archive(".zip"))) {
      Set<String> zipped = new TreeSet<>();
      for (ZipEntry entry : Collections.list(zip.entries())) {
        if (!entry.isDirectory()) {
          String name = entry.getName().replaceFirst("^winnow-" + VERSION + "/", "");
          zipped.add(name);
          try (InputStream in = zip.getInputStream(entry)) {
            assertTrue(
                Arrays.equals(in.readAllBytes(), Files.readAllBytes(HOME.resolve(name))), name);
          }
        }
      }
      assertEquals(files, zipped);
    }
  }

  /** What a page of the archive links to is in the archive; LinksTest looks at headings. */
  @Test
  void noLinkLeadsOutOfTheArchive() throws IOException {
    Pattern link = Pattern.compile("\\]\\(([^)#\\s]+)");
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (String page : files(HOME)) {
      if (page.endsWith(".md")) {
        String words = Files.readString(HOME.resolve(page)).replaceAll("(?ms)^ *```.*?^ *```$", "");
        Matcher found = link.matcher(words);
        while (found.find()) {
          if (!found.group(1).contains("://")) {
            links++;
            if (!Files.exists(HOME.resolve(page).resolveSibling(found.group(1)))) {
              dead.add(page + ": " + found.group(1));
            }
          }
        }
      }
    }
    assertTrue(links > 100, "links found: " + links);
    assertEquals(List.of(), dead);
  }

  @Test
  void theSumsAreThoseOfAllFiles() throws Exception {
    Map<String, String> sums = new TreeMap<>();
    for (String file : files(HOME)) {
      if (!file.equals("SHA512SUMS")) {
        MessageDigest digest = MessageDigest.getInstance("SHA-512");
        sums.put(
            file, HexFormat.of().formatHex(digest.digest(Files.readAllBytes(HOME.resolve(file)))));
      }
    }
    Map<String, String> told = new TreeMap<>();
    for (String line : Files.readAllLines(HOME.resolve("SHA512SUMS"))) {
      told.put(line.split(" \\*", 2)[1], line.split(" ", 2)[0]);
    }
    assertEquals(sums, told);
    String check = "cd " + HOME + " && sha512sum -c --quiet SHA512SUMS";
    assertEquals("", run(Map.of(), "sh", "-c", check));
  }

  /** By what they are called in the jar, the libraries that are in it. */
  private static Set<String> shaded() throws IOException {
    try (JarFile jar = new JarFile(HOME.resolve("winnow-hbase.jar").toFile())) {
      return jar.stream()
          .map(ZipEntry::getName)
          .filter(name -> name.startsWith("io/winnow/shaded/") && name.endsWith(".class"))
          .map(name -> name.split("/")[3])
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void sbomAndNoticeNameWhatIsInTheJar() throws IOException {
    JsonNode sbom = new ObjectMapper().readTree(HOME.resolve("winnow-hbase.cdx.json").toFile());
    assertEquals("CycloneDX", sbom.get("bomFormat").asText());
    assertEquals("winnow-hbase", sbom.at("/metadata/component/name").asText());
    assertEquals(VERSION, sbom.at("/metadata/component/version").asText());
    String notice = Files.readString(HOME.resolve("NOTICE"));
    String page = Files.readString(HOME.resolve("docs/dependencies.md"));
    Set<String> own = new TreeSet<>();
    Set<String> libraries = new TreeSet<>();
    for (JsonNode component : sbom.get("components")) {
      String name = component.get("name").asText();
      String licence = component.at("/licenses/0/license/id").asText();
      if (component.get("group").asText().equals("io.winnow")) {
        own.add(name);
      } else {
        libraries.add(name.replace("commons-", ""));
        String version = component.get("version").asText();
        String row = "| " + name + " | " + version + " | " + licence + " |";
        assertTrue(page.contains(row), row);
      }
    }
    assertEquals(Set.of("filter-core"), own);
    assertEquals(shaded(), libraries);
    assertEquals(
        libraries.size(), page.lines().filter(line -> line.matches("\\| \\S+ \\| \\d.*")).count());
    Map<String, String> noticed =
        Map.of(
            "asm", "ASM (BSD-3-Clause)",
            "codec", "Apache Commons Codec (Apache License, Version 2.0)",
            "hash4j", "hash4j (Apache License, Version 2.0)",
            "picocli", "picocli (Apache License, Version 2.0)");
    assertEquals(noticed.keySet(), libraries);
    noticed.values().forEach(line -> assertTrue(notice.contains("\n" + line + "\n"), line));
  }

  // ---- The tools, on an HBase that is laid out as a distribution of it is.

  private record Result(int exitCode, String output, String errors) {}

  /** By the launcher, which finds nothing in its environment but this. */
  private static Result launch(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(HOME.resolve("winnow").toString()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(DIRECTORY, "tool", ".out");
    Path errors = Files.createTempFile(DIRECTORY, "tool", ".err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(DIRECTORY.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(10, TimeUnit.MINUTES), command::toString);
      return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    } finally {
      process.destroyForcibly();
    }
  }

  private static String done(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    Result result = launch(environment, arguments);
    assertEquals(0, result.exitCode, result::toString);
    return result.output;
  }

  /** HBase's jars and those that it needs, and none of what the agent's jar has in it. */
  private static List<Path> jarsOfHBase() {
    Path repository = Path.of(System.getProperty("winnow.maven.repository"));
    List<Path> jars =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(jar -> jar.startsWith(repository))
            .filter(jar -> !jar.getFileName().toString().matches("(asm|hash4j|picocli)-[\\d.]+jar"))
            .toList();
    assertTrue(jars.size() > 50, jars::toString);
    return jars;
  }

  /** A table of HBase's own files; with its site, and the lines that the agent wants. */
  private static Path makeHBase(String name) throws IOException {
    Path home = DIRECTORY.resolve(name);
    Path lib = Files.createDirectories(home.resolve("lib"));
    for (Path jar : jarsOfHBase()) {
      Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
    }
    Path root = Files.createDirectories(home.resolve("root"));
    Path conf = Files.createDirectories(home.resolve("conf"));
    Files.writeString(
        conf.resolve("hbase-site.xml"),
        """
        <configuration>
          <property>
            <name>hbase.rootdir</name>
            <value>%s</value>
          </property>
        </configuration>
        """
            .formatted(root.toUri()));
    Files.writeString(conf.resolve("hbase-env.sh"), linesOfThePage());
    byte[] family = Bytes.toBytes("f");
    try (TestRegion region = new TestRegion(root, "t", ColumnFamilyDescriptorBuilder.of(family))) {
      for (int i = 0; i < ROWS; i++) {
        Put put = new Put(Bytes.toBytes("row-%06d".formatted(i)));
        region.region().put(put.addColumn(family, family, Bytes.toBytes(i)));
      }
      region.region().flush(true);
      org.apache.hadoop.fs.Path table =
          CommonFSUtils.getTableDir(
              new org.apache.hadoop.fs.Path(root.toUri()), region.descriptor().getTableName());
      FSTableDescriptors.createTableDescriptorForTableDirectory(
          table.getFileSystem(region.configuration()), table, region.descriptor(), true);
      return home;
    }
  }

  /** The two lines of the page, with the jar where it is here. */
  private static String linesOfThePage() throws IOException {
    String lines =
        Files.readAllLines(HOME.resolve("docs/install-hbase-env.md")).stream()
            .filter(line -> line.contains("export HBASE_"))
            .map(line -> line.strip().replace("/opt/winnow", HOME.toString()))
            .collect(Collectors.joining("\n"));
    assertTrue(lines.contains("MASTER_OPTS") && lines.contains("REGIONSERVER_OPTS"), lines);
    return lines;
  }

  private static Path storeFile(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home.resolve("root/data/default/t"))) {
      return files
          .filter(file -> file.getParent().endsWith("f") && Files.isRegularFile(file))
          .filter(file -> !file.toString().endsWith(".crc"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void eachToolWorksOnAnHBaseOfThisMachine() throws Exception {
    Path home = makeHBase("hbase");
    Map<String, String> hbase = Map.of("HBASE_HOME", home.toString());
    String doctor = done(hbase, "doctor");
    assertTrue(doctor.contains(VERSION), doctor);
    String advice = done(hbase, "advise", "t");
    assertTrue(advice.contains("t, f: bumped-ribbon would take "), advice);
    assertTrue(done(hbase, "audit", "--all").contains("bloom"));
    assertTrue(done(hbase, "plan", "roll-out", "t").contains("alter 't', "));
    Path changed = DIRECTORY.resolve("changed");
    String file = storeFile(home).toString();
    done(hbase, "convert", file, changed.toString(), "--filter", "bumped-ribbon");
    String inspected = done(hbase, "inspect", "--verify", changed.toString());
    assertTrue(inspected.contains("bumped-ribbon"), inspected);
    String printed = done(hbase, "hfile", "-m", "-f", changed.toString());
    assertTrue(printed.contains("Kind: Winnow bumped-ribbon"), printed);
    Path back = DIRECTORY.resolve("back");
    done(hbase, "convert", changed.toString(), back.toString(), "--filter", "bloom");
    assertEquals(-1, Files.mismatch(Path.of(file), back));
  }

  @Test
  void aClassPathIsEnough() throws Exception {
    Path home = makeHBase("class-path");
    String jars =
        jarsOfHBase().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    Map<String, String> given =
        Map.of("WINNOW_CLASSPATH", home.resolve("conf") + File.pathSeparator + jars);
    assertTrue(done(given, "advise", "t").contains("t, f: bumped-ribbon would take "));
    Path file = storeFile(home);
    assertTrue(done(given, "hfile", "-m", "-f", file.toString()).contains("Bloom"));
    Map<String, String> conf =
        Map.of("WINNOW_CLASSPATH", jars, "HBASE_CONF_DIR", home.resolve("conf").toString());
    assertTrue(done(conf, "audit", "t").contains("bloom"));
    Map<String, String> more =
        Map.of("WINNOW_CLASSPATH", jars, "HBASE_CLASSPATH", home.resolve("conf").toString());
    assertTrue(done(more, "audit", "t").contains("bloom"));
    String directory = home.resolve("conf").toString();
    Map<String, String> option = Map.of("WINNOW_CLASSPATH", jars);
    assertTrue(done(option, "--jars", directory, "audit", "t").contains("bloom"));
  }

  /**
   * A distribution's own command tells what it needs; no other class path does here. As HBase's
   * does, it tells a server's class path with the option alone, and without the jars that log.
   */
  @Test
  void theCommandOfADistributionIsAsked() throws Exception {
    Path home = makeHBase("command");
    Path bin = Files.createDirectories(home.resolve("bin"));
    Path lib = Files.move(home.resolve("lib"), home.resolve("elsewhere"));
    Path more = Files.createDirectories(lib.resolve("client-facing-thirdparty"));
    for (Path jar : jarsOfHBase()) {
      Path name = jar.getFileName();
      if (name.toString().matches("(log4j|slf4j)-.*")) {
        Files.move(
            lib.resolve(name), more.resolve(name.toString().replaceFirst("-[\\d.]+jar$", ".jar")));
      }
    }
    Path command = bin.resolve("hbase");
    Files.writeString(
        command,
        """
        #!/bin/sh
        [ "$*" = "--internal-classpath classpath" ] && echo "%s:%s/*:%s/slf4j-api.jar"
        """
            .formatted(home.resolve("conf"), lib, more));
    assertTrue(command.toFile().setExecutable(true));
    Map<String, String> byHome = Map.of("HBASE_HOME", home.toString());
    Result audited = launch(byHome, "audit", "t");
    assertEquals(0, audited.exitCode, audited::toString);
    assertTrue(audited.output.contains("bloom"), audited.output);
    assertFalse(audited.errors.contains("SLF4J"), audited.errors);
    Map<String, String> byPath = Map.of("PATH", bin + ":/usr/bin:/bin");
    assertTrue(done(byPath, "audit", "t").contains("bloom"));
  }

  @Test
  void theLauncherSaysWhatItNeeds() throws Exception {
    assertEquals("", launch(Map.of("PATH", "/usr/bin:/bin"), "help").errors);
    Result nothing = launch(Map.of(), "advise", "t");
    assertEquals(1, nothing.exitCode);
    assertTrue(nothing.errors.startsWith("winnow: no HBase is found."), nothing.errors);
    Result wrong = launch(Map.of("HBASE_HOME", "/nosuch"), "advise", "t");
    assertEquals(1, wrong.exitCode);
    assertTrue(wrong.errors.startsWith("winnow: HBASE_HOME is /nosuch"), wrong.errors);
    Path empty = Files.createDirectories(DIRECTORY.resolve("empty/lib")).getParent();
    Result bare = launch(Map.of("HBASE_HOME", empty.toString()), "advise", "t");
    assertEquals(1, bare.exitCode);
    assertTrue(bare.errors.startsWith("winnow: the class path lacks "), bare.errors);
    Result noJava = launch(Map.of("JAVA_HOME", empty.toString()), "advise", "t");
    assertEquals(1, noJava.exitCode);
    assertTrue(noJava.errors.startsWith("winnow: JAVA_HOME is " + empty), noJava.errors);
    Path old = Files.createDirectories(empty.resolve("bin")).resolve("java");
    Files.writeString(old, "#!/bin/sh\necho '  java.specification.version = 1.8' >&2\n");
    assertTrue(old.toFile().setExecutable(true));
    Result java8 = launch(Map.of("JAVA_HOME", empty.toString()), "advise", "t");
    assertEquals(1, java8.exitCode);
    assertEquals("winnow: the tools need Java 11 or later; " + old + " is 1.8.\n", java8.errors);
    Result unknown = launch(Map.of(), "quickstart");
    assertEquals(64, unknown.exitCode);
    assertTrue(unknown.errors.startsWith("winnow: there is no command quickstart"), unknown.errors);
    for (String tool :
        List.of("advise", "audit", "convert", "doctor", "hfile", "inspect", "plan")) {
      String help = done(Map.of(), tool, "--help");
      assertEquals(help, done(Map.of(), "help", tool));
      assertTrue(help.startsWith("usage: winnow " + tool), help);
    }
  }

  // ---- The artifacts.

  private static List<Path> deployed(String artifact) throws IOException {
    try (Stream<Path> files = Files.walk(DEPLOYED.resolve("io/winnow").resolve(artifact))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static Path deployed(String artifact, String ending) throws IOException {
    List<Path> files =
        deployed(artifact).stream()
            .filter(file -> file.getFileName().toString().startsWith(artifact))
            .filter(file -> file.toString().endsWith(ending))
            .filter(
                file ->
                    !ending.equals(".jar") || !file.toString().matches(".*-(sources|javadoc).jar"))
            .toList();
    assertEquals(1, files.size(), () -> artifact + ending + ": " + files);
    return files.get(0);
  }

  @Test
  void nothingElseIsPublished() throws IOException {
    try (Stream<Path> artifacts = Files.list(DEPLOYED.resolve("io/winnow"))) {
      Set<String> names = new TreeSet<>(JARS);
      names.add("winnow-bom");
      assertEquals(
          names,
          artifacts
              .map(artifact -> artifact.getFileName().toString())
              .collect(Collectors.toCollection(TreeSet::new)));
    }
    assertEquals(
        -1, Files.mismatch(deployed("winnow-hbase", ".jar"), HOME.resolve("winnow-hbase.jar")));
  }

  @Test
  void sourcesAndPagesAreThere() throws IOException {
    Map<String, String> types =
        Map.of(
            "filter-core", "io/winnow/image/Filters",
            "hbase-dedup", "io/winnow/hbase/dedup/Deduplicator",
            "winnow-hbase", "io/winnow/hbase/agent/Premain");
    assertEquals(JARS, types.keySet());
    for (Map.Entry<String, String> type : types.entrySet()) {
      String artifact = type.getKey();
      try (JarFile sources = new JarFile(deployed(artifact, "-sources.jar").toFile());
          JarFile pages = new JarFile(deployed(artifact, "-javadoc.jar").toFile())) {
        assertTrue(sources.getEntry(type.getValue() + ".java") != null, artifact);
        assertTrue(pages.getEntry(type.getValue() + ".html") != null, artifact);
      }
    }
  }

  @Test
  void eachPomIsCompleteByItself() throws Exception {
    Set<String> all = new TreeSet<>(JARS);
    all.add("winnow-bom");
    for (String artifact : all) {
      Path pom = deployed(artifact, ".pom");
      Element project =
          javax.xml.parsers.DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(pom.toFile())
              .getDocumentElement();
      Set<String> elements = new TreeSet<>();
      for (var node = project.getFirstChild(); node != null; node = node.getNextSibling()) {
        if (node instanceof Element) {
          elements.add(node.getNodeName());
        }
      }
      Set<String> wanted =
          new TreeSet<>(Set.of("name", "description", "url", "licenses", "scm", "developers"));
      wanted.removeAll(elements);
      assertEquals(Set.of(), wanted, artifact);
      assertFalse(elements.contains("parent"), artifact);
      String text = Files.readString(pom).replace("${project.version}", VERSION);
      assertFalse(text.contains("${"), artifact);
      assertTrue(Files.readString(pom).contains("<name>The Winnow authors</name>"), artifact);
    }
    assertFalse(Files.readString(deployed("winnow-hbase", ".pom")).contains("<dependenc"));
  }

  /** Versions by the BOM; the library's filter, and the agent's module name. */
  @Test
  void aProjectOutsideTakesEach() throws Exception {
    OutsideProject project = new OutsideProject(CHECKOUT, DIRECTORY.resolve("outside"));
    StringBuilder wanted = new StringBuilder();
    for (String artifact : new TreeSet<>(JARS)) {
      wanted.append(
          """
              <dependency>
                <groupId>io.winnow</groupId>
                <artifactId>%s</artifactId>
              </dependency>
          """
              .formatted(artifact));
    }
    project.compile(
        """
          <repositories>
            <repository>
              <id>here</id>
              <url>%s</url>
            </repository>
          </repositories>
          <dependencyManagement>
            <dependencies>
              <dependency>
                <groupId>io.winnow</groupId>
                <artifactId>winnow-bom</artifactId>
                <version>%s</version>
                <type>pom</type>
                <scope>import</scope>
              </dependency>
            </dependencies>
          </dependencyManagement>
          <dependencies>
        %s  </dependencies>
        """
            .formatted(DEPLOYED.toUri(), VERSION, wanted),
        """
        import io.winnow.*;
        import io.winnow.KeyHash;
        import io.winnow.image.Filters;
        import io.winnow.ribbon.BumpedRibbonSizing;

        public class Program {
          public static void main(String[] arguments) throws Exception {
            FilterBuilder builder =
                FilterBuilder.of(BumpedRibbonSizing.forRate(0.01)).hashedBy(KeyHash.XXH3);
            builder.add("a key".getBytes("UTF-8"));
            MembershipFilter filter = Filters.open(builder.finish().buffer());
            Class<?> client = io.winnow.hbase.dedup.Deduplicator.class;
            Class<?> agent = Class.forName("io.winnow.hbase.agent.Premain");
            System.out.print(filter.mightContain("a key".getBytes("UTF-8")));
          }
        }
        """);
    for (String artifact : JARS) {
      Path taken = project.libraries().resolve(artifact + "-" + VERSION + ".jar");
      assertEquals(-1, Files.mismatch(deployed(artifact, ".jar"), taken), artifact);
    }
    String agent = "-javaagent:" + project.libraries().resolve("winnow-hbase-" + VERSION + ".jar");
    String told =
        project.runProgram(agent, "-cp", project.classes() + ":" + project.libraries() + "/*");
    assertTrue(told.contains("Winnow: INFO: "), told); // no HBase is on this class path
    assertTrue(told.endsWith("true"), told);
  }

  /** That they fit was seen when they were made. */
  @Test
  void eachFileIsSigned() throws IOException {
    assumeTrue(signed, "there is no gpg on this machine");
    for (String artifact : JARS) {
      for (String ending : List.of(".jar", "-sources.jar", "-javadoc.jar", ".pom")) {
        Path file = deployed(artifact, ending);
        assertTrue(Files.exists(Path.of(file + ".asc")), file.toString());
      }
    }
    assertTrue(Files.exists(Path.of(deployed("winnow-bom", ".pom") + ".asc")));
  }
}

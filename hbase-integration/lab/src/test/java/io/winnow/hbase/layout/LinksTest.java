package io.winnow.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every link of a page to a file, and to a heading in it, leads somewhere. */
class LinksTest {
  private static final Path HOME = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    for (String page : List.of("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")) {
      pages.add(HOME.resolve(page + ".md"));
    }
    try (Stream<Path> docs = Files.walk(HOME.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      String text = words(page);
      Matcher link = LINK.matcher(text);
      while (link.find()) {
        String target = link.group(1);
        if (!target.contains("://")) {
          links++;
          if (!leadsSomewhere(page, target)) {
            dead.add(HOME.relativize(page) + ": " + target);
          }
        }
      }
    }
    assertTrue(links > 100, "links found: " + links);
    assertEquals(List.of(), dead);
  }

  /** A page without its blocks of code: what looks like a link or a heading there is none. */
  private static String words(Path page) throws IOException {
    return Files.readString(page).replaceAll("(?ms)^ *```.*?^ *```$", "");
  }

  private static boolean leadsSomewhere(Path page, String target) throws IOException {
    String[] parts = target.split("#", 2);
    Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (!Files.exists(file)) {
      return false;
    }
    return parts.length == 1 || headings(file).contains(parts[1]);
  }

  /** Pages that say which test holds a promise, and the list of checks, name tests that exist. */
  @Test
  void everyTestThatIsNamedExists() throws IOException {
    Map<String, Path> classes = new HashMap<>();
    try (Stream<Path> files = Files.walk(HOME)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(file -> classes.put(file.getFileName().toString().replace(".java", ""), file));
    }
    StringBuilder named =
        new StringBuilder(Files.readString(HOME.resolve("docs/design/checks-taken-out.csv")));
    for (Path page : pages()) {
      named.append(words(page));
    }
    Matcher name = Pattern.compile("`(\\w+(?:Test|IT|Check))(?:`|\\.(\\w+)`)").matcher(named);
    List<String> missing = new ArrayList<>();
    int names = 0;
    for (; name.find(); names++) {
      if (!has(classes, name.group(1), name.group(2))) {
        missing.add(name.group());
      }
    }
    assertTrue(names > 150, "tests named: " + names);
    assertEquals(List.of(), missing);
  }

  /** Whether there is such a class, and it or one above it has such a method; null for any. */
  private static boolean has(Map<String, Path> classes, String name, String method)
      throws IOException {
    if (!classes.containsKey(name)) {
      return false;
    }
    String source = Files.readString(classes.get(name));
    if (method == null || source.contains(" " + method + "(")) {
      return true;
    }
    Matcher parent = Pattern.compile("class " + name + "\\b[^{]* extends (\\w+)").matcher(source);
    return parent.find() && has(classes, parent.group(1), method);
  }

  @Test
  void aLineOfCodeIsNoHeading(@TempDir Path directory) throws IOException {
    Path page =
        Files.writeString(
            directory.resolve("page.md"),
            """
            # A page
            - a step

              ```
              # a comment
              ```
            ```sh
            # another
            ```
            ## The `rest` of it
            """);
    assertEquals(Set.of("a-page", "the-rest-of-it"), headings(page));
  }

  /** As they are made into anchors: lower case, dashes for spaces, other signs left out. */
  private static Set<String> headings(Path file) throws IOException {
    return words(file)
        .lines()
        .filter(line -> line.matches("#{1,6} .*"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}

package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every link of a page to a file, and to a heading in it, leads somewhere. */
class LinksTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(HOME.resolve("README.md")));
    pages.add(HOME.resolve("CHANGELOG.md"));
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
      String text = Files.readString(page).replaceAll("(?s)```.*?```", "");
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

  private static boolean leadsSomewhere(Path page, String target) throws IOException {
    String[] parts = target.split("#", 2);
    Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (!Files.exists(file)) {
      return false;
    }
    return parts.length == 1 || headings(file).contains(parts[1]);
  }

  /** As they are made into anchors: lower case, dashes for spaces, other signs left out. */
  private static Set<String> headings(Path file) throws IOException {
    return Files.readString(file)
        .lines()
        .filter(line -> line.matches("#{1,6} .*"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}

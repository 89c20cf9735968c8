package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The committed listing has every signature that a user of the module can name: public types of the
 * packages that are exported to all, and their public and protected members. {@code
 * -Dwinnow.api.write=true} writes it anew.
 */
class ExportedApiTest {
  private static final Path CLASSES = Path.of("target/classes");
  private static final Path LISTING = Path.of("src/test/resources/api.txt");

  private static final int SHOWN =
      Modifier.PUBLIC
          | Modifier.PROTECTED
          | Modifier.STATIC
          | Modifier.FINAL
          | Modifier.ABSTRACT
          | Modifier.INTERFACE;

  @Test
  void theListingIsTheApi() throws Exception {
    List<String> api = api();
    assertTrue(api.size() > 300, api::toString);
    if (Boolean.getBoolean("winnow.api.write")) {
      Files.write(LISTING, api);
    }
    assertEquals("", difference(Files.readAllLines(LISTING), api));
  }

  /** Nested ones are counted too. */
  @Test
  void usersMeetFiftyTypesAtMost() throws Exception {
    Set<String> types = api().stream().map(line -> line.split(": ")[0]).collect(Collectors.toSet());
    assertTrue(types.size() <= 50, types::toString);
  }

  @Test
  void aDifferenceIsExplained() {
    List<String> listed = List.of("io.winnow.A: class", "io.winnow.A: int f()");
    assertEquals("", difference(listed, listed));
    String explanation = difference(listed, List.of("io.winnow.A: class", "io.winnow.A: long f()"));
    assertTrue(explanation.contains("\n  gone: io.winnow.A: int f()\n"), explanation);
    assertTrue(explanation.contains("\n  new:  io.winnow.A: long f()\n"), explanation);
    assertTrue(explanation.contains("docs/compatibility.md"), explanation);
    assertTrue(explanation.contains("A signature that is gone breaks"), explanation);
    String added = difference(List.of(), listed);
    assertTrue(added.contains("-Dwinnow.api.write=true"), added);
    assertEquals(-1, added.indexOf("is gone"), added);
  }

  /** Nothing, or what a developer has to know about it. */
  private static String difference(Collection<String> listed, Collection<String> api) {
    Set<String> gone = new TreeSet<>(listed);
    gone.removeAll(api);
    Set<String> added = new TreeSet<>(api);
    added.removeAll(listed);
    if (gone.isEmpty() && added.isEmpty()) {
      return "";
    }
    StringBuilder explanation =
        new StringBuilder("\nThe API of filter-core is not that of " + LISTING);
    explanation.append(":\n");
    gone.forEach(line -> explanation.append("  gone: ").append(line).append('\n'));
    added.forEach(line -> explanation.append("  new:  ").append(line).append('\n'));
    if (!gone.isEmpty()) {
      explanation.append(
          "A signature that is gone breaks programs that were compiled with it:"
              + " docs/compatibility.md says when it may go.\n");
    }
    return explanation
        .append(
            "If it shall be so: -Dtest=ExportedApiTest -Dwinnow.api.write=true writes the listing;"
                + " commit it with a line in CHANGELOG.md.\n")
        .toString();
  }

  private static List<String> api() throws IOException, ClassNotFoundException {
    ModuleDescriptor module;
    try (InputStream in = Files.newInputStream(CLASSES.resolve("module-info.class"))) {
      module = ModuleDescriptor.read(in);
    }
    Set<String> lines = new TreeSet<>();
    for (ModuleDescriptor.Exports exports : module.exports()) {
      if (!exports.isQualified()) {
        try (Stream<Path> files = Files.list(CLASSES.resolve(exports.source().replace('.', '/')))) {
          for (Path file : (Iterable<Path>) files::iterator) {
            String name = file.getFileName().toString();
            if (name.endsWith(".class") && !name.equals("package-info.class")) {
              String type = exports.source() + "." + name.substring(0, name.length() - 6);
              list(Class.forName(type, false, ExportedApiTest.class.getClassLoader()), lines);
            }
          }
        }
      }
    }
    return new ArrayList<>(lines);
  }

  private static boolean isSeen(int modifiers) {
    return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
  }

  private static boolean isSeen(Class<?> type) {
    return isSeen(type.getModifiers())
        && !type.isSynthetic()
        && (type.getDeclaringClass() == null || isSeen(type.getDeclaringClass()))
        && !type.isAnonymousClass()
        && !type.isLocalClass();
  }

  private static void list(Class<?> type, Set<String> lines) {
    if (!isSeen(type)) {
      return;
    }
    String start = type.getName() + ": ";
    String parents =
        Stream.concat(
                Stream.ofNullable(type.getGenericSuperclass()),
                Arrays.stream(type.getGenericInterfaces()))
            .map(Type::getTypeName)
            .filter(name -> !name.equals("java.lang.Object"))
            .collect(Collectors.joining(", "));
    String kind = type.isInterface() ? "" : type.isEnum() ? "enum " : "class ";
    String line =
        start
            + modifiers(type.getModifiers())
            + kind
            + variables(type.getTypeParameters())
            + (parents.isEmpty() ? "" : "of " + parents);
    lines.add(line.stripTrailing());
    for (Constructor<?> one : type.getDeclaredConstructors()) {
      if (isSeen(one.getModifiers()) && !one.isSynthetic()) {
        lines.add(start + modifiers(one.getModifiers()) + "new" + arguments(one));
      }
    }
    for (Method one : type.getDeclaredMethods()) {
      if (isSeen(one.getModifiers()) && !one.isSynthetic()) {
        lines.add(
            start
                + modifiers(one.getModifiers())
                + (one.isDefault() ? "default " : "")
                + variables(one.getTypeParameters())
                + one.getGenericReturnType().getTypeName()
                + ' '
                + one.getName()
                + arguments(one));
      }
    }
    for (Field one : type.getDeclaredFields()) {
      if (isSeen(one.getModifiers()) && !one.isSynthetic()) {
        lines.add(
            start
                + modifiers(one.getModifiers())
                + one.getGenericType().getTypeName()
                + ' '
                + one.getName());
      }
    }
  }

  private static String modifiers(int modifiers) {
    String text = Modifier.toString(modifiers & SHOWN);
    return text.isEmpty() ? "" : text + ' ';
  }

  private static String variables(TypeVariable<?>... variables) {
    return variables.length == 0
        ? ""
        : Arrays.stream(variables)
            .map(
                one ->
                    one.getName()
                        + " extends "
                        + Arrays.stream(one.getBounds())
                            .map(Type::getTypeName)
                            .collect(Collectors.joining(" & ")))
            .collect(Collectors.joining(", ", "<", "> "));
  }

  private static String arguments(Executable one) {
    String text =
        Arrays.stream(one.getParameters())
            .map(Parameter::getParameterizedType)
            .map(Type::getTypeName)
            .collect(Collectors.joining(", ", "(", ")"));
    String thrown =
        Arrays.stream(one.getGenericExceptionTypes())
            .map(Type::getTypeName)
            .sorted()
            .collect(Collectors.joining(", "));
    return thrown.isEmpty() ? text : text + " throws " + thrown;
  }
}

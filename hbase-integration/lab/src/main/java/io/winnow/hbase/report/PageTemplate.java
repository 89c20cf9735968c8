package io.winnow.hbase.report;

import freemarker.cache.ClassTemplateLoader;
import freemarker.core.ArithmeticEngine;
import freemarker.core.Environment;
import freemarker.template.Configuration;
import freemarker.template.DefaultObjectWrapper;
import freemarker.template.DefaultObjectWrapperBuilder;
import freemarker.template.TemplateDirectiveBody;
import freemarker.template.TemplateDirectiveModel;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import freemarker.template.TemplateHashModel;
import freemarker.template.TemplateModel;
import freemarker.template.TemplateModelException;
import freemarker.template.utility.DeepUnwrap;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page of {@code docs/} that is made from results: a FreeMarker template of Markdown, in which
 * sections, tables, plots and targets are tags.
 *
 * <pre>
 * &lt;@section title="Space"&gt;
 * Words before the tables.
 * &lt;@table title="bits per key" header=["rate", "bits"] rows=values("space", "rate")
 *     ?map(rate -> [rate, number(median("space", "bitsPerKey", "rate", rate), 2)])/&gt;
 * &lt;/@section&gt;
 * </pre>
 *
 * <p>The tags:
 *
 * <ul>
 *   <li>{@code section}: left out if all its tables are empty. With {@code terminal} it is on no
 *       page, and only printed.
 *   <li>{@code table}: its rows are lists of cells in {@code rows}, or {@code row} tags between its
 *       own. With {@code shown=false} the table or the row is not on the page; nor is a table of
 *       more than 20 rows whose template chooses none, unless it is {@code whole}. A text file
 *       beside the plots has all rows of all tables of such a page.
 *   <li>{@code targets}: holds {@code atMost} and {@code atLeast}, or is {@code of} bounds that
 *       were judged before. If there are more than 20, the page shows those that were missed.
 *   <li>{@code bars}: a plot; holds {@code series} and comes after the tables.
 * </ul>
 *
 * <p>The functions are those of {@link Figures}: a missing figure is NaN, and is printed as a dash.
 */
public final class PageTemplate {
  private static final String BEGIN = "<!-- Measured: ";
  private static final String END = "<!-- End of what is measured. -->";

  /**
   * Maximum number of rows of a table that a page shows, unless the template chooses the rows or
   * requests the whole table.
   */
  private static final int MAX_ROWS = 20;

  private final List<Bound> bounds = new ArrayList<>();

  /** All tables for a terminal, in the order of the page. */
  private final StringBuilder text = new StringBuilder();

  /** The page's plots and its other files, by name. */
  private final Map<String, String> files = new TreeMap<>();

  private final String markdown;

  // Of the section that is made.
  private final List<Table> shownTables = new ArrayList<>();
  private final List<String> shortened = new ArrayList<>();
  private final Map<String, String> plots = new LinkedHashMap<>();
  private final StringBuilder sectionText = new StringBuilder();

  private Table table;
  private Table shown;
  private Chart chart;

  /**
   * Makes a page from a template and results.
   *
   * @param owner a class in the package of the template
   * @param name the file name of the template
   * @param results the results that the functions read
   * @param more further variables of the template, by name
   */
  public PageTemplate(Class<?> owner, String name, Results results, Map<String, ?> more) {
    Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
    configuration.setTemplateLoader(new ClassTemplateLoader(owner, ""));
    configuration.setDefaultEncoding("UTF-8");
    configuration.setLocalizedLookup(false);
    configuration.setLocale(Locale.ROOT);
    configuration.setNumberFormat("computer");
    configuration.setArithmeticEngine(ArithmeticEngine.CONSERVATIVE_ENGINE);
    configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
    configuration.setLogTemplateExceptions(false);
    DefaultObjectWrapper wrapper =
        new DefaultObjectWrapperBuilder(Configuration.VERSION_2_3_34).build();
    configuration.setObjectWrapper(wrapper);
    Map<String, Object> root = new HashMap<>(more);
    root.putIfAbsent("page", name.replace(".ftl", ""));
    try {
      functions(root, wrapper, new Figures(results));
      tags(root);
      StringWriter out = new StringWriter();
      configuration.getTemplate(name).process(root, out);
      markdown = out.toString();
      files.replaceAll((file, content) -> file.endsWith(".txt") ? text.toString() : content);
    } catch (TemplateException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the page that the template makes of the results, in Markdown. */
  public String markdown() {
    return markdown;
  }

  /** Returns all tables of the page as text for a terminal. */
  public String text() {
    return text.toString();
  }

  /** Prints the tables of a run that has just ended, and writes its plots into a directory. */
  public void publish(PrintStream out, Path directory) throws IOException {
    writePlots(directory);
    out.println(text + "\nplots: " + directory);
  }

  /** Writes the page's plots and the text file of its tables into a directory. */
  public void writePlots(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(directory.resolve(file.getKey()), file.getValue());
    }
  }

  /**
   * Writes the page and its plots into a directory.
   *
   * @param name the name of the page, without its extension
   */
  public void write(Path docs, String name) throws IOException {
    write(docs, name, markdown);
  }

  /**
   * Replaces the measured part of a page whose other parts are written by hand, and writes the
   * page's plots. The measured part is between two comment lines; without the second one it ends
   * with the page.
   *
   * @param name the name of the page, without its extension
   */
  public void writeInto(Path docs, String name) throws IOException {
    String page = Files.readString(docs.resolve(name + ".md"));
    int begin = page.indexOf('\n', page.indexOf(BEGIN)) + 1;
    if (!page.contains(BEGIN)) {
      throw new IOException("docs/" + name + ".md has no line " + BEGIN);
    }
    int end = page.indexOf(END, begin);
    String rest = end < 0 ? "" : page.substring(end);
    write(docs, name, page.substring(0, begin) + markdown + rest);
  }

  private void write(Path docs, String name, String page) throws IOException {
    writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve(name + ".md"), page);
  }

  /** Returns all targets of the page, in the order of the page. */
  public List<Bound> bounds() {
    return List.copyOf(bounds);
  }

  /** Makes each public method of {@link Figures} a function that page templates can call. */
  private static void functions(
      Map<String, Object> root, DefaultObjectWrapper wrapper, Figures figures)
      throws TemplateModelException {
    TemplateHashModel methods = (TemplateHashModel) wrapper.wrap(figures);
    for (Method method : Figures.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())) {
        root.put(method.getName(), methods.get(method.getName()));
      }
    }
  }

  /** A function that runs for a tag of a page template, with the tag's attributes and body. */
  private interface Tag {
    void run(Attributes attributes, TemplateDirectiveBody body, Environment environment)
        throws TemplateException, IOException;
  }

  private void tags(Map<String, Object> root) {
    root.put("section", tag(this::section));
    root.put("table", tag(this::table));
    root.put("row", tag((at, body, env) -> row(at.texts("cells"), at.is("shown", true))));
    root.put("targets", tag(this::targets));
    root.put("atMost", tag((at, body, env) -> bounds.add(at.bound(true))));
    root.put("atLeast", tag((at, body, env) -> bounds.add(at.bound(false))));
    root.put("bars", tag((at, body, env) -> bars(at, body)));
    root.put(
        "series",
        tag(
            (at, body, env) ->
                chart.add(
                    at.text("name"), at.numbers("values"), at.numbers("from"), at.numbers("to"))));
  }

  @SuppressWarnings("unchecked")
  private static TemplateDirectiveModel tag(Tag tag) {
    return (environment, parameters, loopVariables, body) ->
        tag.run(new Attributes(parameters), body, environment);
  }

  private void section(Attributes at, TemplateDirectiveBody body, Environment environment)
      throws TemplateException, IOException {
    shownTables.clear();
    plots.clear();
    sectionText.setLength(0);
    shortened.clear();
    String words = rendered(body).strip();
    text.append(sectionText);
    if (sectionText.length() == 0 || at.is("terminal", false)) {
      return;
    }
    StringBuilder page = new StringBuilder("\n## " + at.text("title") + "\n\n");
    page.append(words.isEmpty() ? "" : words + "\n");
    for (Table one : shownTables) {
      page.append(shownTables.size() > 1 ? "\n**" + one.title + "**\n" : "");
      page.append('\n').append(one.markdown());
    }
    if (!shortened.isEmpty()) {
      String name = environment.getVariable("page") + ".txt";
      files.put(name, "");
      String titles = String.join("*, *", shortened);
      page.append("\nAll rows of *%1$s*: [%2$s](plots/%2$s).\n".formatted(titles, name));
    }
    plots.keySet().forEach(plot -> page.append("\n![%1$s](plots/%1$s.svg)\n".formatted(plot)));
    plots.forEach((plot, svg) -> files.put(plot + ".svg", svg));
    environment.getOut().write(page.toString());
  }

  private void table(Attributes at, TemplateDirectiveBody body, Environment environment)
      throws TemplateException, IOException {
    String[] header = at.texts("header").toArray(String[]::new);
    table = new Table(at.text("title"), header);
    shown = new Table(table.title, header);
    if (at.has("rows")) {
      for (Object cells : (List<?>) at.object("rows")) {
        row((List<?>) cells, at.is("shown", true));
      }
    }
    rendered(body);
    boolean isTooLong = shown.rows() > MAX_ROWS && !at.is("whole", false);
    add(table, isTooLong ? new Table(table.title, header) : shown);
  }

  private void row(List<?> cells, boolean isShown) {
    String[] texts = cells.stream().map(String::valueOf).toArray(String[]::new);
    table.row(texts);
    if (isShown) {
      shown.row(texts);
    }
  }

  private void add(Table whole, Table few) {
    sectionText.append(whole.isEmpty() ? "" : '\n' + whole.text());
    if (few.rows() < whole.rows()) {
      shortened.add(whole.title);
    }
    if (!few.isEmpty()) {
      shownTables.add(few);
    }
  }

  private void targets(Attributes at, TemplateDirectiveBody body, Environment environment)
      throws TemplateException, IOException {
    int before = bounds.size();
    if (at.has("of")) {
      ((List<?>) at.object("of")).forEach(bound -> bounds.add((Bound) bound));
    }
    List<Bound> asked = new ArrayList<>(bounds.subList(before, bounds.size()));
    int judged = bounds.size();
    rendered(body);
    bounds.subList(judged, bounds.size()).stream()
        .filter(Bound::isMeasured) // what the run did not measure is not printed
        .forEach(asked::add);
    List<Bound> missed = asked.stream().filter(bound -> !bound.isReached()).toList();
    add(Bound.table(asked), Bound.table(asked.size() > MAX_ROWS ? missed : asked));
  }

  private void bars(Attributes at, TemplateDirectiveBody body)
      throws TemplateException, IOException {
    double base = at.has("base") ? ((Number) at.object("base")).doubleValue() : Double.NaN;
    chart = new Chart(at.text("title"), at.text("y"), at.texts("categories"), base);
    rendered(body);
    plots.put(at.text("name"), chart.bars());
  }

  private static String rendered(TemplateDirectiveBody body) throws TemplateException, IOException {
    StringWriter out = new StringWriter();
    if (body != null) {
      body.render(out);
    }
    return out.toString();
  }

  /** The attributes of a tag of a page template, by name. */
  private record Attributes(Map<String, TemplateModel> named) {
    boolean has(String name) {
      return named.get(name) != null;
    }

    Object object(String name) throws TemplateModelException {
      if (!has(name)) {
        throw new TemplateModelException("a tag has no " + name);
      }
      return DeepUnwrap.unwrap(named.get(name));
    }

    String text(String name) throws TemplateModelException {
      return String.valueOf(object(name));
    }

    boolean is(String name, boolean otherwise) throws TemplateModelException {
      return has(name) ? (Boolean) object(name) : otherwise;
    }

    List<String> texts(String name) throws TemplateModelException {
      return ((List<?>) object(name)).stream().map(String::valueOf).toList();
    }

    /** Returns the numbers of an attribute; null if the tag does not have it. */
    double[] numbers(String name) throws TemplateModelException {
      return has(name) ? Figures.array(object(name)) : null;
    }

    Bound bound(boolean atMost) throws TemplateModelException {
      double asked = ((Number) object("asked")).doubleValue();
      return object("of") instanceof PairedRatio ratio
          ? new Bound(text("what"), atMost, asked, ratio)
          : new Bound(
              text("what"),
              atMost,
              asked,
              ((Number) object("of")).doubleValue(),
              has("decimals") ? ((Number) object("decimals")).intValue() : 2);
    }
  }
}

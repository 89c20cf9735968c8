package io.winnow.hbase;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** The lines that a class logs while this is open. */
public final class LogLines implements AutoCloseable {
  private final Logger logger;
  private final Lines lines = new Lines();

  public LogLines(Class<?> source) {
    Configurator.setLevel(source.getName(), Level.INFO);
    logger = (Logger) LogManager.getLogger(source);
    lines.start();
    logger.addAppender(lines);
    logger.setAdditive(false);
  }

  public List<String> errors() {
    return lines.events.stream()
        .filter(event -> event.getLevel().isMoreSpecificThan(Level.ERROR))
        .map(event -> event.getMessage().getFormattedMessage())
        .toList();
  }

  public List<String> all() {
    return lines.events.stream().map(event -> event.getMessage().getFormattedMessage()).toList();
  }

  @Override
  public void close() {
    logger.removeAppender(lines);
    logger.setAdditive(true);
  }

  private static final class Lines extends AbstractAppender {
    private final List<LogEvent> events = new CopyOnWriteArrayList<>();

    Lines() {
      super("lines", null, null, true, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      events.add(event.toImmutable());
    }
  }
}

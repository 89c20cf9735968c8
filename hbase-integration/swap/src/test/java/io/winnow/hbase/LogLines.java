package io.winnow.hbase;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.Property;

/** The lines that classes log while this is open. */
public final class LogLines implements AutoCloseable {
  private final List<Logger> loggers;
  private final Lines lines = new Lines();

  public LogLines(Class<?>... sources) {
    lines.start();
    loggers = Arrays.stream(sources).map(one -> (Logger) LogManager.getLogger(one)).toList();
    for (Logger logger : loggers) {
      Configurator.setLevel(logger.getName(), Level.INFO);
      logger.addAppender(lines);
      logger.setAdditive(false);
    }
  }

  /** Each with its level in front. */
  public List<String> withLevels() {
    return lines.events.stream()
        .map(event -> event.getLevel() + " " + event.getMessage().getFormattedMessage())
        .toList();
  }

  public void clear() {
    lines.events.clear();
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
    for (Logger logger : loggers) {
      logger.removeAppender(lines);
      logger.setAdditive(true);
    }
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

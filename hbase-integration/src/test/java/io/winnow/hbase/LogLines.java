package io.winnow.hbase;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** The lines that a class logs while this is open. */
final class LogLines extends AppenderSkeleton implements AutoCloseable {
  private final Logger logger;
  private final List<LoggingEvent> events = new CopyOnWriteArrayList<>();

  LogLines(Class<?> source) {
    logger = Logger.getLogger(source);
    logger.addAppender(this);
  }

  List<String> errors() {
    return events.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.ERROR))
        .map(LoggingEvent::getRenderedMessage)
        .toList();
  }

  List<String> all() {
    return events.stream().map(LoggingEvent::getRenderedMessage).toList();
  }

  @Override
  protected void append(LoggingEvent event) {
    events.add(event);
  }

  @Override
  public void close() {
    logger.removeAppender(this);
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }
}

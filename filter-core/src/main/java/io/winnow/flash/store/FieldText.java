package io.winnow.flash.store;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.StringJoiner;

/** How values, whose fields say all of them, are shown: {@code Name[field=value, field=value]}. */
public final class FieldText {
  private FieldText() {}

  /**
   * The text of a value, by its class's own fields; for {@code toString}, and not for hot paths.
   */
  public static String of(Object value) {
    Class<?> type = value.getClass();
    StringJoiner text = new StringJoiner(", ", type.getSimpleName() + "[", "]");
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        try {
          text.add(field.getName() + "=" + field.get(value));
        } catch (IllegalAccessException e) {
          throw new AssertionError(e);
        }
      }
    }
    return text.toString();
  }
}

package io.winnow.base;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.StringJoiner;

/** Builds the text of a value object from its fields: {@code Name[field=value, field=value]}. */
public final class FieldText {
  private FieldText() {}

  /**
   * Returns the text of a value object from the fields of its own class. It is for {@code
   * toString}, not for hot paths.
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

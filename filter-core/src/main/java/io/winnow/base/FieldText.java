package io.winnow.base;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.StringJoiner;

/** Builds the text of a value object from its fields: {@code Name[field=value, field=value]}. */
public final class FieldText {
  private FieldText() {}

  /**
   * Returns the text of a value object from the fields of its own class. It is for {@code
   * toString}, not for hot paths. Fields that are functions are left out. An object without a text
   * of its own is shown as the type of its field.
   */
  public static String of(Object value) {
    Class<?> type = value.getClass();
    StringJoiner text = new StringJoiner(", ", type.getSimpleName() + "[", "]");
    for (Field field : type.getDeclaredFields()) {
      boolean isFunction = field.getType().getPackageName().equals("java.util.function");
      if (!Modifier.isStatic(field.getModifiers()) && !isFunction) {
        field.setAccessible(true);
        try {
          Object shown = field.get(value);
          boolean hasText = shown == null || hasText(shown.getClass());
          text.add(field.getName() + "=" + (hasText ? shown : field.getType().getSimpleName()));
        } catch (ReflectiveOperationException e) {
          throw new AssertionError(e);
        }
      }
    }
    return text.toString();
  }

  /** Returns whether objects of a class have a text of their own, and not that of each object. */
  private static boolean hasText(Class<?> type) throws NoSuchMethodException {
    return type.getMethod("toString").getDeclaringClass() != Object.class;
  }
}

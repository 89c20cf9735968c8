package io.winnow.flash.drive;

import io.winnow.base.FieldText;
import java.util.function.Consumer;

/**
 * A value object, for example the options of a structure, whose methods return a changed copy and
 * leave the object as it is.
 *
 * @param <T> the class of the object
 */
public abstract class CopiedOnChange<T extends CopiedOnChange<T>> implements Cloneable {
  /** Creates a value object. */
  protected CopiedOnChange() {}

  /** Returns a copy of this object with a change. */
  @SuppressWarnings("unchecked") // a clone has the class of the object
  protected final T with(Consumer<T> change) {
    try {
      T changed = (T) clone();
      change.accept(changed);
      return changed;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public String toString() {
    return FieldText.of(this);
  }
}

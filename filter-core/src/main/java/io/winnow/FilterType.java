package io.winnow;

/** Types of filters that can be serialized. The ids are schema-critical. */
public enum FilterType {
  /** Homogeneous Ribbon filter, {@code docs/format/ribbon-v1.md}. */
  RIBBON(1, "ribbon"),

  /** Bumped Ribbon filter, {@code docs/format/bumped-ribbon-v1.md}. */
  BUMPED_RIBBON(2, "bumped-ribbon"),

  /** Quotient filter, {@code docs/format/quotient-v1.md}. */
  QUOTIENT(3, "quotient");

  private final int id;
  private final String label;

  FilterType(int id, String label) {
    this.id = id;
    this.label = label;
  }

  /** Returns the id of the filter type in an image's header: schema-critical, never reused. */
  public int id() {
    return id;
  }

  /**
   * Returns the name of the filter type that users write and read, for example in {@code
   * winnow.filter}.
   */
  public String label() {
    return label;
  }

  /**
   * Returns the filter type with this id.
   *
   * @throws FilterFormatException if there is none
   */
  public static FilterType ofId(int id) {
    for (FilterType type : values()) {
      if (type.id == id) {
        return type;
      }
    }
    throw new FilterFormatException("unknown filter type id " + id);
  }
}

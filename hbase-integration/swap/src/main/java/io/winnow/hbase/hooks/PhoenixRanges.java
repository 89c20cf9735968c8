package io.winnow.hbase.hooks;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Ranges of rows that filters of Apache Phoenix state. Phoenix is no dependency: its classes and
 * their members are found by name, and a release that lacks one of them states nothing. Immutable.
 *
 * <p>A row of Phoenix is a sequence of fields. A field of variable width ends before a separator:
 * 0x00, or 0xFF if the field is sorted descending. A {@code SkipScanFilter} has a slot for each of
 * the first fields: the keys, and the ranges of keys, that the field may have.
 */
final class PhoenixRanges {
  private static final String PHOENIX = "org.apache.phoenix.";
  private static final String PAGING = PHOENIX + "filter.PagingFilter";
  private static final String SKIP_SCAN = PHOENIX + "filter.SkipScanFilter";

  /** Attribute of a scan of a local index, to whose filters Phoenix adds an offset later. */
  static final String LOCAL_INDEX = "_LocalIndex";

  private static final byte[] NOTHING = {};

  /** Members of the classes beside a {@code SkipScanFilter}; null if Phoenix lacks one of them. */
  private static final ClassValue<PhoenixRanges> MEMBERS =
      new ClassValue<>() {
        @Override
        protected PhoenixRanges computeValue(Class<?> filter) {
          try {
            return new PhoenixRanges(filter);
          } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
          }
        }
      };

  private final Field offset;
  private final Field slots;
  private final Field slotSpan;
  private final Field schema;
  private final Method getField;
  private final Method rowKeyOrderOptimizable;
  private final Method getDataType;
  private final Method isFixedWidth;
  private final Method getByteSize;
  private final Method getSortOrder;
  private final Class<?> keyRange;
  private final Method isSingleKey;
  private final Method getLowerRange;
  private final Method getUpperRange;

  private PhoenixRanges(Class<?> filter) throws ReflectiveOperationException {
    offset = field(filter, "offset");
    slots = field(filter, "slots");
    slotSpan = field(filter, "slotSpan");
    schema = field(filter, "schema");
    rowKeyOrderOptimizable = schema.getType().getMethod("rowKeyOrderOptimizable");
    getField = schema.getType().getMethod("getField", int.class);
    getDataType = getField.getReturnType().getMethod("getDataType");
    getByteSize = getField.getReturnType().getMethod("getByteSize");
    getSortOrder = getField.getReturnType().getMethod("getSortOrder");
    isFixedWidth = getDataType.getReturnType().getMethod("isFixedWidth");
    keyRange = Class.forName(PHOENIX + "query.KeyRange", false, filter.getClassLoader());
    isSingleKey = keyRange.getMethod("isSingleKey");
    getLowerRange = keyRange.getMethod("getLowerRange");
    getUpperRange = keyRange.getMethod("getUpperRange");
  }

  private static Field field(Class<?> filter, String name) throws ReflectiveOperationException {
    Field field = filter.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /**
   * Returns the filter that a {@code PagingFilter} wraps, which only stops a scan for a while; any
   * other filter itself. Returns null if a {@code PagingFilter} wraps none.
   */
  static Filter behindPaging(Filter filter) {
    Class<?> type = filter.getClass();
    if (!type.getName().equals(PAGING)) {
      return filter;
    }
    try {
      return (Filter) type.getMethod("getDelegateFilter").invoke(filter);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns true if a filter is a {@code SkipScanFilter}. */
  static boolean isSkipScan(Class<?> filter) {
    return filter.getName().equals(SKIP_SCAN);
  }

  /**
   * Returns the rows that a {@code SkipScanFilter} can let pass, in a scan that is not reversed;
   * null if it states nothing.
   */
  static RowRanges of(Filter skipScan) {
    PhoenixRanges members = MEMBERS.get(skipScan.getClass());
    try {
      RowRanges.Union union =
          members == null || members.offset.getInt(skipScan) != 0 ? null : members.union(skipScan);
      return union == null ? null : union.ranges();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Combines the keys of the first slots, and then the ranges of one slot at most. What the slots
   * behind them exclude is not stated.
   */
  private RowRanges.Union union(Filter skipScan) throws ReflectiveOperationException {
    List<?> keysOfSlots = (List<?>) slots.get(skipScan);
    for (Object keys : keysOfSlots) {
      for (Object key : (List<?>) keys) {
        // It jumps over rows with null, and lets them pass if it meets them: another file decides.
        if (bytes(getLowerRange, key).length == 0 && bytes(getUpperRange, key).length > 0) {
          return null;
        }
      }
    }
    int[] spans = (int[]) slotSpan.get(skipScan);
    List<byte[]> heads = List.of(NOTHING);
    RowRanges.Union stated = null;
    for (int i = 0; i < keysOfSlots.size() && spans[i] == 0; i++) {
      List<?> keys = (List<?>) keysOfSlots.get(i);
      if (stated != null && (long) heads.size() * keys.size() > RowRanges.MAX) {
        break;
      }
      Slot slot = new Slot(schema.get(skipScan), i, heads);
      for (Object key : keys) {
        if (!slot.add(key)) {
          return stated;
        }
      }
      stated = slot.rows;
      heads = slot.heads;
      // The separator is missing in a row whose later fields are all null.
      boolean mayEnd = !slot.isFixed && i + 1 < keysOfSlots.size();
      if (slot.hasRanges || mayEnd && mayBeNull((List<?>) keysOfSlots.get(i + 1))) {
        break;
      }
    }
    return stated;
  }

  private static byte[] bytes(Method bound, Object key) throws ReflectiveOperationException {
    return (byte[]) bound.invoke(key);
  }

  private boolean mayBeNull(List<?> keys) throws ReflectiveOperationException {
    for (Object key : keys) {
      if (bytes(getLowerRange, key).length == 0) {
        return true;
      }
    }
    return false;
  }

  /** A field of the rows, behind each sequence of keys that the fields before it may have. */
  private final class Slot {
    private final List<byte[]> before;
    private final boolean isFixed;
    private final boolean isDescending;
    private final int width;
    private final byte[] separator;

    /** Rows of the keys that were added. */
    private final RowRanges.Union rows = new RowRanges.Union();

    /** Bytes with which these rows begin, with the separator of the field. */
    private final List<byte[]> heads = new ArrayList<>();

    private boolean hasRanges;

    private Slot(Object schema, int number, List<byte[]> before)
        throws ReflectiveOperationException {
      Object field = getField.invoke(schema, number);
      this.before = before;
      isFixed = (boolean) isFixedWidth.invoke(getDataType.invoke(field));
      isDescending = getSortOrder.invoke(field).toString().equals("DESC");
      width = isFixed ? (int) getByteSize.invoke(field) : 0;
      boolean isInverted = isDescending && (boolean) rowKeyOrderOptimizable.invoke(schema);
      separator = isFixed ? NOTHING : new byte[] {(byte) (isInverted ? 0xFF : 0)};
    }

    /** Adds the rows of a key, or of a range of keys; returns false if they cannot be stated. */
    private boolean add(Object key) throws ReflectiveOperationException {
      byte[] lower = bytes(getLowerRange, key);
      boolean isSingle = (boolean) isSingleKey.invoke(key);
      boolean isUsable =
          isSingle
              ? lower.length > 0 && (!isFixed || lower.length == width)
              : isFixed || !isDescending;
      if (!isUsable || key.getClass() != keyRange) {
        return false;
      }
      hasRanges |= !isSingle;
      byte[] upper = isSingle ? lower : upToZero(bytes(getUpperRange, key));
      for (byte[] head : before) {
        byte[] from = Bytes.add(head, lower);
        byte[] last = isSingle ? from : Bytes.add(head, upper);
        if (isSingle) {
          byte[] whole = Bytes.add(from, separator);
          heads.add(whole);
          last = isDescending ? from : whole;
        }
        rows.add(from, RowRanges.afterPrefix(last));
      }
      return true;
    }

    /** Returns the bytes of a key before its first 0x00, if that would end the field. */
    private byte[] upToZero(byte[] key) {
      int end = 0;
      while (end < key.length && (isFixed || key[end] != 0)) {
        end++;
      }
      return Arrays.copyOf(key, end);
    }
  }
}

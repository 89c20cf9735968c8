package io.winnow.hbase.hooks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.filter.PagingFilter;
import org.apache.phoenix.filter.SkipScanFilter;
import org.apache.phoenix.query.KeyRange;
import org.apache.phoenix.schema.PDatum;
import org.apache.phoenix.schema.RowKeySchema;
import org.apache.phoenix.schema.SortOrder;
import org.apache.phoenix.schema.types.PBinary;
import org.apache.phoenix.schema.types.PChar;
import org.apache.phoenix.schema.types.PDataType;
import org.apache.phoenix.schema.types.PVarchar;
import org.apache.phoenix.util.ScanUtil;

/**
 * Random skip scans of Apache Phoenix, alone, in lists and behind its filter for pages, of rows of
 * a random schema.
 */
final class PhoenixFilters extends RandomFilters {
  private final List<Field> fields = new ArrayList<>();
  private final RowKeySchema schema;

  /** A field of a row. */
  record Field(PDataType<?> type, int width, boolean isNullable, boolean isDescending)
      implements PDatum {
    boolean isFixed() {
      return type.isFixedWidth();
    }

    @Override
    public PDataType<?> getDataType() {
      return type;
    }

    @Override
    public Integer getMaxLength() {
      return isFixed() ? width : null;
    }

    @Override
    public Integer getScale() {
      return null;
    }

    @Override
    public SortOrder getSortOrder() {
      return isDescending ? SortOrder.DESC : SortOrder.ASC;
    }

    @Override
    public boolean isNullable() {
      return isNullable;
    }
  }

  PhoenixFilters(Random random, Collection<byte[]> rows) {
    super(random, rows);
    int count = 1 + random.nextInt(4);
    if (count > 1 && random.nextInt(4) == 0) {
      fields.add(new Field(PBinary.INSTANCE, 1, false, false)); // the salt
    }
    while (fields.size() < count) {
      boolean isFixed = random.nextBoolean();
      boolean isNullable = !isFixed && !fields.isEmpty() && random.nextInt(3) == 0;
      fields.add(
          new Field(
              isFixed ? PChar.INSTANCE : PVarchar.INSTANCE,
              1 + random.nextInt(2),
              isNullable,
              random.nextInt(4) == 0));
    }
    schema = schema(fields);
  }

  static RowKeySchema schema(List<Field> fields) {
    RowKeySchema.RowKeySchemaBuilder builder =
        new RowKeySchema.RowKeySchemaBuilder(fields.size()).rowKeyOrderOptimizable(true);
    for (Field field : fields) {
      builder.addField(field, field.isNullable(), field.getSortOrder());
    }
    return builder.build();
  }

  private byte[] valueOf(Field field) {
    boolean isSalt = field.type() == PBinary.INSTANCE;
    byte[] value = new byte[field.isFixed() ? field.width() : 1 + random.nextInt(2)];
    for (int i = 0; i < value.length; i++) {
      int letter = isSalt ? random.nextInt(3) : 'a' + random.nextInt(4);
      value[i] = (byte) (field.isDescending() ? ~letter : letter);
    }
    return value;
  }

  /** As Phoenix writes it: without the separators of fields at the end that are null. */
  @Override
  byte[] row() {
    byte[] row = {};
    int end = 0;
    for (Field field : fields) {
      boolean isNull = field.isNullable() && random.nextInt(3) == 0;
      boolean isLast = field == fields.get(fields.size() - 1);
      row = Bytes.add(row, isNull ? new byte[0] : valueOf(field));
      end = isNull ? end : row.length;
      if (!field.isFixed() && (!isLast || field.isDescending() && !isNull)) {
        row = Bytes.add(row, new byte[] {(byte) (field.isDescending() && !isNull ? 0xFF : 0)});
        end = field.isDescending() && !isNull ? row.length : end;
      }
    }
    return Arrays.copyOf(row, end);
  }

  /** No other bytes in front: it must be a row of the schema. */
  @Override
  byte[] row(byte[] head) {
    return row();
  }

  private KeyRange range(Field field) {
    byte[] one = valueOf(field);
    byte[] other = valueOf(field);
    switch (random.nextInt(field.isNullable() ? 11 : 10)) {
      case 0:
        return KeyRange.getKeyRange(one, random.nextBoolean(), KeyRange.UNBOUND, false);
      case 1:
        return KeyRange.getKeyRange(KeyRange.UNBOUND, false, one, random.nextBoolean());
      case 2:
      case 3:
        int order = compare(field, one, other);
        return order == 0
            ? KeyRange.getKeyRange(one)
            : KeyRange.getKeyRange(
                order < 0 ? one : other,
                random.nextBoolean(),
                order < 0 ? other : one,
                random.nextBoolean());
      case 10:
        return random.nextBoolean() ? KeyRange.IS_NULL_RANGE : KeyRange.IS_NOT_NULL_RANGE;
      default:
        return KeyRange.getKeyRange(one);
    }
  }

  private static int compare(Field field, byte[] one, byte[] other) {
    return ScanUtil.getComparator(field.isFixed(), field.getSortOrder())
        .compare(one, 0, one.length, other, 0, other.length);
  }

  /** Sorted ranges that do not overlap, as Phoenix puts them into a slot. */
  private List<KeyRange> slot(Field field) {
    if (field != fields.get(0) && random.nextInt(6) == 0) {
      return List.of(KeyRange.EVERYTHING_RANGE);
    }
    List<KeyRange> ranges = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      ranges.add(range(field));
    }
    ranges.sort(field.isDescending() ? KeyRange.DESC_COMPARATOR : KeyRange.COMPARATOR);
    List<KeyRange> apart = new ArrayList<>();
    for (KeyRange range : ranges) {
      KeyRange last = apart.isEmpty() ? null : apart.get(apart.size() - 1);
      if (range == KeyRange.EMPTY_RANGE) {
        continue;
      }
      if (last == null
          || last == KeyRange.IS_NULL_RANGE && range.getLowerRange().length > 0
          || last != KeyRange.IS_NULL_RANGE
              && !last.upperUnbound()
              && range.getLowerRange().length > 0
              && compare(field, last.getUpperRange(), range.getLowerRange()) < 0) {
        apart.add(range);
      }
    }
    return apart.isEmpty() ? List.of(KeyRange.getKeyRange(valueOf(field))) : apart;
  }

  private Filter skipScan() {
    List<List<KeyRange>> slots = new ArrayList<>();
    for (Field field : fields.subList(0, 1 + random.nextInt(fields.size()))) {
      slots.add(slot(field));
    }
    return new SkipScanFilter(slots, schema);
  }

  @Override
  Filter filter(int depth) {
    Filter filter = skipScan();
    if (random.nextInt(3) > 0) {
      List<Filter> filters = new ArrayList<>();
      if (random.nextInt(3) == 0) {
        filters.add(new FirstKeyOnlyFilter());
      }
      filters.add(filter);
      if (random.nextBoolean()) {
        filters.add(other());
      }
      if (random.nextInt(3) == 0) {
        filters.add(new PageFilter(1 + random.nextInt(3)));
      }
      filter = new FilterList(filters);
    }
    return random.nextBoolean() ? filter : new PagingFilter(filter, Long.MAX_VALUE);
  }
}

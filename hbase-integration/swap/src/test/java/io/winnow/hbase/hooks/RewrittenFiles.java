package io.winnow.hbase.hooks;

import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Ways to show other rows than a file has. A row is the start key of its region, a value, and a
 * letter, as in a local index of Apache Phoenix: there a row has the start key in front, so after a
 * split the rows of a daughter lie anywhere in the file, and those of the upper one begin with
 * another start key.
 */
enum RewrittenFiles {
  /** The lower daughter has the rows of letters before m, as they are in the file. */
  LOWER {
    @Override
    String shown(String row) {
      return isUpper(row) ? null : row;
    }
  },
  UPPER {
    @Override
    String shown(String row) {
      return isUpper(row) ? row.replace(START, "MMMM") : null;
    }
  },
  MERGED {
    @Override
    String shown(String row) {
      return row.replaceFirst(START + "|MMMM", "0000");
    }
  },
  /** No halves, and a coprocessor that shows other rows for a reason of its own. */
  WHOLE {
    @Override
    String shown(String row) {
      return row.replace(START, "BBBB");
    }
  },
  /** The same, and all rows are between the first and the last of the file. */
  INSIDE {
    @Override
    String shown(String row) {
      int value = Integer.parseInt(row.substring(5, 7));
      boolean isEnd = value < FILES || value >= VALUES - FILES;
      return isEnd ? row : row(value + 1, row.charAt(7));
    }
  };

  static final String START = "AAAA";
  static final int VALUES = 24;
  static final int FILES = 3;

  static String row(int value, char letter) {
    return String.format(Locale.ROOT, "%sv%02d%c", START, value, letter);
  }

  private static boolean isUpper(String row) {
    return row.charAt(row.length() - 1) > 'm';
  }

  /** The row that is shown for a row of a file; null if it is hidden. */
  abstract String shown(String row);

  boolean areHalves() {
    return this == LOWER || this == UPPER || this == MERGED;
  }

  UnaryOperator<byte[]> rows() {
    return row -> {
      String shown = shown(Bytes.toString(row));
      return shown == null ? null : Bytes.toBytes(shown);
    };
  }

  NavigableSet<String> shown(Iterable<String> rows) {
    NavigableSet<String> shown = new TreeSet<>();
    for (String row : rows) {
      if (shown(row) != null) {
        shown.add(shown(row));
      }
    }
    return shown;
  }
}

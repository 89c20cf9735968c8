package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A table of the cost model: in each row a figure of three contenders, then the ratios of the
 * second and the third to the first, and of the third to the second if the header has a column for
 * it.
 */
final class FigureTable<T> {
  private final List<T> contenders;
  private final String[] header;
  private final Table table;

  FigureTable(List<T> contenders, String title, String... header) {
    this.contenders = contenders;
    this.header = header;
    this.table = new Table(title, header);
  }

  void row(String name, int decimals, ToDoubleFunction<T> figure) {
    double[] values = contenders.stream().mapToDouble(figure).toArray();
    List<String> cells = new ArrayList<>(List.of(name));
    for (double value : values) {
      cells.add(Table.number(value, decimals));
    }
    cells.add(Table.number(values[1] / values[0], 3));
    cells.add(Table.number(values[2] / values[0], 3));
    cells.add(Table.number(values[2] / values[1], 3));
    table.row(cells.subList(0, header.length).toArray(String[]::new));
  }

  String text() {
    return table.text();
  }
}

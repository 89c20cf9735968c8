package io.winnow.hbase.page;

/** How the pages look: a table on a desk, a card for each row on a phone. */
final class Style {
  private Style() {}

  static final String TEXT =
      """
      :root { color-scheme: light; }
      * { box-sizing: border-box; }
      body {
        margin: 0; color: #1d2733; background: #f5f6f8;
        font: 14px/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
      }
      header, main { padding: 0 20px; }
      header { background: #fff; border-bottom: 1px solid #d9dee4; padding-bottom: 8px; }
      nav { padding: 10px 0; }
      nav a { margin-right: 18px; }
      a { color: #0b5cad; text-decoration: none; }
      a:hover, a:focus { text-decoration: underline; }
      h1 { font-size: 22px; margin: 4px 0; overflow-wrap: anywhere; }
      h2 { font-size: 16px; margin: 20px 0 6px; }
      header p { margin: 0; color: #5b6773; overflow-wrap: anywhere; }
      .path { overflow-wrap: anywhere; }
      .cards { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 16px; }
      .card {
        flex: 1 1 210px; background: #fff; border: 1px solid #d9dee4; border-radius: 6px;
        padding: 10px 14px;
      }
      .card h2 { margin: 0; font-size: 13px; font-weight: 600; color: #5b6773; }
      .card p { margin: 2px 0; }
      .card .figure { font-size: 22px; font-weight: 600; }
      .wide { overflow-x: auto; background: #fff; border: 1px solid #d9dee4; border-radius: 6px; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
      .rows { width: 100%; font-size: 13px; }
      th, td { padding: 5px 9px; text-align: left; vertical-align: top; }
      .rows th { vertical-align: bottom; background: #eef1f4; font-weight: 600; }
      .rows td { border-top: 1px solid #e7eaee; overflow-wrap: break-word; }
      .rows td.words { min-width: 6em; }
      .rows tbody tr:nth-child(even) { background: #fafbfc; }
      .number { text-align: right; white-space: nowrap; }
      .rows th.number { white-space: normal; }
      th[aria-sort] a::after { content: " \\25B2"; }
      th[aria-sort="descending"] a::after { content: " \\25BC"; }
      details { margin: 14px 0; }
      summary { cursor: pointer; font-weight: 600; }
      dt { font-weight: 600; margin-top: 6px; }
      dd { margin: 0; color: #3c4855; }
      .facts { background: #fff; border: 1px solid #d9dee4; margin-top: 6px; }
      .facts th { font-weight: 600; overflow-wrap: anywhere; }
      @media (max-width: 760px) {
        header, main { padding-left: 12px; padding-right: 12px; }
        .card { flex-basis: 100%; }
        .wide { background: none; border: 0; overflow: visible; }
        .rows, .rows tbody, .rows tr, .rows td { display: block; width: 100%; }
        .rows thead, .rows thead tr { display: flex; flex-wrap: wrap; gap: 2px 4px; }
        .rows thead::before { content: "Sort by"; width: 100%; font-weight: 600; }
        .rows th { display: block; padding: 3px 7px; border-radius: 4px; background: #e4e9ee; }
        .rows tbody tr {
          background: #fff !important; border: 1px solid #d9dee4; border-radius: 6px;
          margin-top: 10px; padding: 4px 0;
        }
        .rows td, .rows td.number {
          display: flex; justify-content: space-between; gap: 14px; border: 0; padding: 3px 12px;
          text-align: right; white-space: normal; overflow-wrap: anywhere;
        }
        .rows td::before {
          content: attr(data-label); color: #5b6773; text-align: left; flex: none;
        }
        .facts, .facts td { overflow-wrap: anywhere; }
      }
      """;
}

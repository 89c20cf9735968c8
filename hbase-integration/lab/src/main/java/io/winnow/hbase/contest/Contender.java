package io.winnow.hbase.contest;

/** One of the things that a measuring command compares, such as a filter or a way of writing. */
public interface Contender {
  /** Returns the contender's name in results and reports. */
  String id();
}

package io.winnow.bench.drive;

/** Figures of a set: inserts, and lookups of present and of absent keys. */
record SetFigures(Timed inserts, Timed present, Timed absent) {}

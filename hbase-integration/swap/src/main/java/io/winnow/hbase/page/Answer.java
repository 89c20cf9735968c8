package io.winnow.hbase.page;

import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;

/** Response of the page {@code /winnow} to an HTTP request. */
final class Answer {
  static final int OK = 200;
  static final int NOT_FOUND = 404;

  final int status;
  final String contentType;
  final String body;

  Answer(int status, String contentType, String body) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
  }

  static Answer html(Html page) {
    return new Answer(OK, "text/html; charset=utf-8", page.toString());
  }

  /** Returns a response that has a document as JSON. Missing values are written as null. */
  static Answer json(Object document) {
    return new Answer(
        OK,
        "application/json; charset=utf-8",
        new GsonBuilder().setPrettyPrinting().serializeNulls().create().toJson(document) + "\n");
  }

  static Answer words(int status, String words) {
    return new Answer(status, "text/plain; charset=utf-8", words + "\n");
  }
}

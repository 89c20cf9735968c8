package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerViewDoor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HRegion;

/** The page of a server with given regions, for tests elsewhere. */
public final class PageDoor {
  private PageDoor() {}

  /** Returns the answer's text. */
  public static String json(List<HRegion> regions) {
    return answer("format=json", regions).body;
  }

  static Answer answer(String query, List<HRegion> regions) {
    RecentCounts recent =
        new RecentCounts(System::nanoTime, System.nanoTime() - TimeUnit.MINUTES.toNanos(2));
    return Pages.answer(
        Query.of(query),
        () ->
            new PageInput("here,16020,1", new Configuration(), ServerViewDoor.of(regions), recent));
  }
}

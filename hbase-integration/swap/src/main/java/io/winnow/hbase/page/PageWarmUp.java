package io.winnow.hbase.page;

import io.winnow.hbase.metrics.FileFilters;
import io.winnow.hbase.metrics.ServerView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warm-up of the page {@code /winnow}: makes each kind of page several times after a region server
 * has started, so that the first visitor does not wait until the JVM has loaded and compiled the
 * classes. It uses a thread of the lowest priority, which ends afterwards, and it reads no file, as
 * the pages do.
 */
public final class PageWarmUp implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PageWarmUp.class);

  private static final int ROUNDS = 5;

  /**
   * Seconds before the first check that the region server is online, between checks, and between
   * rounds of the warm-up.
   */
  private static final int STEP_SECONDS = 2;

  /**
   * Seconds between the moment when a region server is online and the first round of the warm-up:
   * regions open meanwhile.
   */
  private static final int QUIET_SECONDS = 15;

  private final HRegionServer server;

  private PageWarmUp(HRegionServer server) {
    this.server = server;
  }

  /** Starts a thread that warms up the page {@code /winnow} of a region server. */
  public static void begin(HRegionServer server) {
    Thread thread = new Thread(new PageWarmUp(server), "winnow-page-warm-up");
    thread.setDaemon(true);
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.start();
  }

  @Override
  public void run() {
    try {
      do {
        TimeUnit.SECONDS.sleep(STEP_SECONDS);
        if (isOver()) {
          return;
        }
      } while (!server.isOnline());
      TimeUnit.SECONDS.sleep(QUIET_SECONDS);
      for (int round = 0; round < ROUNDS && !isOver(); round++) {
        show(
            new PageInput(
                String.valueOf(server.getServerName()),
                server.getConfiguration(),
                ServerView.now(),
                RecentCounts
                    .sinceStartOfJvm())); // separate from the page's: no user made these requests
        TimeUnit.SECONDS.sleep(STEP_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      LOG.debug("The warm-up of the pages failed: the first responses will be slow", e);
    }
  }

  private boolean isOver() {
    return server.isStopped() || server.isAborted();
  }

  /**
   * Makes each kind of page under {@code /winnow} once, for the warm-up.
   *
   * @return the number of pages that were made
   */
  static int show(PageInput input) {
    List<String> queries = new ArrayList<>(List.of("?style", "?sort=-filterBytes"));
    queries.addAll(ofAnyFile(input));
    int made = 0;
    for (String query : queries) {
      for (String form : List.of("", "&format=json")) {
        Answer answer = Pages.answer(Query.of(query.substring(1) + form), () -> input);
        made += answer.status == Answer.OK ? 1 : 0;
      }
    }
    return made;
  }

  /**
   * Returns links to the list of a family's files and to a file, for the first file that has a
   * filter.
   */
  private static List<String> ofAnyFile(PageInput input) {
    for (HRegion region : input.view.regions) {
      for (HStore store : region.getStores()) {
        for (HStoreFile file : store.getStorefiles()) {
          StoreFileReader reader = file.getReader();
          if (reader != null && FileFilters.of(reader, true).general != null) {
            Query list =
                FileList.query(
                    store.getTableName().getNameAsString(),
                    Bytes.toStringBinary(store.getColumnFamilyDescriptor().getName()));
            Query one =
                list.with(Pages.REGION, region.getRegionInfo().getEncodedName())
                    .with(Pages.FILE, file.getPath().getName());
            return List.of(list.link(), one.link());
          }
        }
      }
    }
    return List.of();
  }
}

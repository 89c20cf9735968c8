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
 * Makes each page a few times before anybody asks for it, when a server has come up: so the first
 * person who snapshots does not wait until the JVM has loaded their classes and compiled them.
 * Takes a thread of the lowest priority, which ends then, and reads nothing, as the pages do.
 */
public final class PageWarmUp implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PageWarmUp.class);

  private static final int ROUNDS = 5;

  /**
   * So long at first, then between two snapshots whether the server serves, and between two rounds.
   */
  private static final int STEP_SECONDS = 2;

  /** From when a server serves: its regions come to it meanwhile. */
  private static final int QUIET_SECONDS = 15;

  private final HRegionServer server;

  private PageWarmUp(HRegionServer server) {
    this.server = server;
  }

  /** Starts the thread for a server. */
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
                FalseReads.sinceStartOfJvm())); // of its own: nobody has looked
        TimeUnit.SECONDS.sleep(STEP_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      LOG.debug("The pages are made when somebody asks for them", e);
    }
  }

  private boolean isOver() {
    return server.isStopped() || server.isAborted();
  }

  /** Makes one page of each kind, and answers how many there were. */
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

  /** Links to the list that a file is in, and to the file: of the first one that has a filter. */
  private static List<String> ofAnyFile(PageInput input) {
    for (HRegion region : input.view.regions()) {
      for (HStore store : region.getStores()) {
        for (HStoreFile file : store.getStorefiles()) {
          StoreFileReader reader = file.getReader();
          if (reader != null && FileFilters.of(reader, true).general() != null) {
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

package io.winnow.flash.buffered;

import io.winnow.flash.store.DamagedPageException;
import io.winnow.flash.store.PageFrame;
import io.winnow.flash.store.PageFrames;
import java.io.IOException;
import java.util.Arrays;

/**
 * The pages of one group in memory, for a sweep: what a block of buffer has for them is applied to
 * all of them at once. Pages that are needed and near to each other share a request; of a block
 * that is full this is usually the whole group.
 *
 * <p>A damaged page, or an older version of one, answers "present". If keys are to be added to it,
 * it is replaced by a page with all bits set, which says the same for ever: what was on it is gone,
 * and it must never deny a key.
 *
 * <p>One thread at a time.
 */
final class GroupPages implements AutoCloseable {
  /** Two pages with at most this much between them are read by one request. */
  private static final int JOIN_BYTES = 1 << 16;

  /** With so many entries for each page, nearly all pages are needed. */
  private static final int DENSE = 4;

  private enum State {
    UNREAD,
    GOOD,

    /** Its checksum does not match. */
    DAMAGED,

    /** The drive did not give it. */
    FAILED
  }

  private final BufferedBloomFile file;
  private final int joinPages;
  private final PageFrame frame;
  private final State[] states;
  private final boolean[] needed;
  private final boolean[] dirty;

  private long groupPage;
  private IOException failure;

  GroupPages(BufferedBloomFile file) {
    this.file = file;
    this.joinPages = JOIN_BYTES / file.sizing.pageBytes();
    this.frame = PageFrames.allocate(file.sizing.groupPages(), file.sizing.pageBytes());
    this.states = new State[file.sizing.groupPages()];
    this.needed = new boolean[file.sizing.groupPages()];
    this.dirty = new boolean[file.sizing.groupPages()];
  }

  /**
   * Answers the probes of a block, which thereby leave it, and adds its keys to the pages.
   *
   * @param write whether the keys go to flash and leave the block; else they wait on, and nothing
   *     is written
   * @param believe whether a page may deny a key at all
   * @return why keys that should leave the block had to stay, or null
   */
  IOException sweep(
      BufferBlock block, int group, boolean write, boolean believe, AnswerQueue answers) {
    begin(group);
    boolean writes = write && block.adds > 0;
    need(block, writes);
    read();
    for (int i = 0; i < block.adds; i++) {
      add(block.addAt(i));
    }
    if (block.probes() > 0) {
      answers.put(answer(block, believe));
      block.clearProbes();
    }
    if (writes && write()) {
      block.adds = 0;
      return null;
    }
    return writes ? failure : null;
  }

  private void begin(int group) {
    groupPage = file.firstPage() + (long) group * file.sizing.groupPages();
    failure = null;
    Arrays.fill(states, State.UNREAD);
    Arrays.fill(needed, false);
    Arrays.fill(dirty, false);
  }

  private void need(BufferBlock block, boolean adds) {
    long entries = (long) block.probes() + (adds ? block.adds : 0);
    if (entries >= (long) DENSE * needed.length) {
      Arrays.fill(needed, true);
      return;
    }
    for (int i = 0; adds && i < block.adds; i++) {
      needed[file.sizing.page(block.addAt(i))] = true;
    }
    for (int i = 0; i < block.tagged; i++) {
      needed[file.sizing.page(block.taggedAt(i))] = true;
    }
    for (BufferBlock.Asked asked : block.asked) {
      needed[file.sizing.page(asked.entry)] = true;
    }
  }

  // ---- Bits ----

  private void add(long entry) {
    int page = file.sizing.page(entry);
    dirty[page] = true;
    if (states[page] == State.GOOD) {
      file.sizing.addKey(frame.bytes(), frame.payloadOffset(page), entry);
    }
  }

  private AnswerQueue.Batch answer(BufferBlock block, boolean believe) {
    AnswerQueue.Batch batch = new AnswerQueue.Batch(block.tagged, block.asked.size());
    for (int i = 0; i < block.tagged; i++) {
      batch.add(block.tagAt(i), null, mightContain(block.taggedAt(i), believe));
    }
    for (BufferBlock.Asked asked : block.asked) {
      batch.add(0, asked.future, mightContain(asked.entry, believe));
    }
    return batch;
  }

  private boolean mightContain(long entry, boolean believe) {
    int page = file.sizing.page(entry);
    if (!believe || states[page] != State.GOOD) {
      file.counters.count(BufferedBloomCount.DOUBTS);
      return true;
    }
    return file.sizing.hasKey(frame.bytes(), frame.payloadOffset(page), entry);
  }

  // ---- Pages ----

  private void read() {
    for (int first = next(needed, 0); first < needed.length; ) {
      int end = runEnd(needed, first, State.UNREAD);
      readRun(first, end);
      first = next(needed, end);
    }
  }

  private void readRun(int first, int end) {
    try {
      file.pages.read(groupPage + first, end - first, frame.view(first, end - first));
      Arrays.fill(states, first, end, State.GOOD);
    } catch (IOException e) {
      for (int page = first; page < end; page++) {
        readAgain(page);
      }
    }
  }

  /** Another look at a page by itself, whose request failed. */
  private void readAgain(int page) {
    try {
      file.pages.read(groupPage + page, 1, frame.view(page, 1));
      states[page] = State.GOOD;
    } catch (IOException e) {
      states[page] = e instanceof DamagedPageException ? State.DAMAGED : State.FAILED;
      fail(e);
    }
  }

  private void fail(IOException e) {
    failure = failure == null ? e : failure;
    file.counters.recordFailure(e);
  }

  /** Writes the pages that were changed; whether it could. */
  private boolean write() {
    boolean written = true;
    for (int page = next(dirty, 0); page < dirty.length; page = next(dirty, page + 1)) {
      if (states[page] == State.DAMAGED) {
        file.pages.setAllBits(groupPage + page, frame, page);
        states[page] = State.GOOD;
        file.counters.count(BufferedBloomCount.REPLACED_PAGES);
      }
      dirty[page] = states[page] == State.GOOD; // else it must not get a checksum that matches
      written &= dirty[page];
    }
    for (int first = next(dirty, 0); first < dirty.length; ) {
      int end = runEnd(dirty, first, State.GOOD);
      written &= write(first, end);
      first = next(dirty, end);
    }
    return written;
  }

  private boolean write(int first, int end) {
    try {
      file.pages.write(groupPage + first, end - first, frame.view(first, end - first));
      return true;
    } catch (IOException e) {
      fail(e);
      return false;
    }
  }

  /** The first marked page from one on, or their number if there is none. */
  private static int next(boolean[] marks, int from) {
    int page = from;
    while (page < marks.length && !marks[page]) {
      page++;
    }
    return page;
  }

  /** Where the run ends that begins with a marked page: short gaps in this state are part of it. */
  private int runEnd(boolean[] marks, int first, State gaps) {
    int end = first + 1;
    for (int page = end;
        page < marks.length && page - end <= joinPages && states[page] == gaps;
        page++) {
      if (marks[page]) {
        end = page + 1;
      }
    }
    return end;
  }

  @Override
  public void close() {
    frame.close();
  }
}

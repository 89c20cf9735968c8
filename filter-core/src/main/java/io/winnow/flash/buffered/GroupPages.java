package io.winnow.flash.buffered;

import io.winnow.flash.drive.PageFrame;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.DamagedPageException;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The pages of one group of a buffered Bloom filter in memory, while all waiting keys and probes of
 * the group are applied to them. Needed pages that are near each other are read and written by one
 * request; for a full block this is usually the whole group.
 *
 * <p>For a damaged page, or an older version of one, the answer is {@code true}. If keys are to be
 * added to it, all its bits are set: its former bits are unknown, and it must never rule a key out.
 *
 * <p>Not thread-safe.
 */
final class GroupPages implements AutoCloseable {
  /**
   * Maximum of bytes between two needed pages of a buffered Bloom filter that one request reads
   * together.
   */
  private static final int JOIN_BYTES = 1 << 16;

  /**
   * Number of waiting keys and probes per page from which on nearly all pages of a group are
   * needed.
   */
  private static final int DENSE = 4;

  /** State in memory of a page of a buffered Bloom filter. */
  private enum State {
    UNREAD,
    GOOD,

    /** State of a page of a buffered Bloom filter whose checksum does not match. */
    DAMAGED,

    /** State of a page of a buffered Bloom filter for which the drive returned an error. */
    FAILED
  }

  private final BufferedBloomFile file;
  private final int joinPages;
  private final PageFrame frame;
  private final State[] states;
  private final BitSet needed = new BitSet();
  private final BitSet dirty = new BitSet();

  private long groupPage;
  private IOException failure;

  GroupPages(BufferedBloomFile file) {
    this.file = file;
    this.joinPages = JOIN_BYTES / file.sizing.pageBytes();
    this.frame = PageFrames.allocate(file.sizing.groupPages(), file.sizing.pageBytes());
    this.states = new State[file.sizing.groupPages()];
  }

  /**
   * Answers the probes that wait for a group of pages, removes them, and adds the group's waiting
   * keys to the pages.
   *
   * @param write whether the keys are written to flash and removed from the block; otherwise they
   *     stay, and nothing is written
   * @param believe false if the filter is not whole, so that no page may rule a key out
   * @return the reason why keys stayed that should leave the block, or null
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

  /** Resets the state for a group of pages of which none has been read yet. */
  private void begin(int group) {
    groupPage = file.firstPage() + (long) group * file.sizing.groupPages();
    failure = null;
    Arrays.fill(states, State.UNREAD);
    needed.clear();
    dirty.clear();
  }

  /** Marks the pages that the waiting keys and probes of a block need. */
  private void need(BufferBlock block, boolean adds) {
    long entries = (long) block.probes() + (adds ? block.adds : 0);
    if (entries >= (long) DENSE * states.length) {
      needed.set(0, states.length);
      return;
    }
    for (int i = 0; adds && i < block.adds; i++) {
      needed.set(file.sizing.page(block.addAt(i)));
    }
    for (int i = 0; i < block.tagged; i++) {
      needed.set(file.sizing.page(block.taggedAt(i)));
    }
    for (BufferBlock.FutureProbe probe : block.futureProbes) {
      needed.set(file.sizing.page(probe.entry));
    }
  }

  // ---- Bits ----

  /** Sets the bits of a waiting key in its page. */
  private void add(long entry) {
    int page = file.sizing.page(entry);
    dirty.set(page);
    if (states[page] == State.GOOD) {
      file.sizing.addKey(frame.bytes, frame.payloadOffset(page), entry);
    }
  }

  /** Returns the answers to the probes that wait for a group of pages. */
  private AnswerQueue.Batch answer(BufferBlock block, boolean believe) {
    AnswerQueue.Batch batch = new AnswerQueue.Batch(block.tagged, block.futureProbes.size());
    for (int i = 0; i < block.tagged; i++) {
      batch.add(block.tagAt(i), null, mightContain(block.taggedAt(i), believe));
    }
    for (BufferBlock.FutureProbe probe : block.futureProbes) {
      batch.add(0, probe.future, mightContain(probe.entry, believe));
    }
    return batch;
  }

  /** Returns whether the pages of the group may have a key. */
  private boolean mightContain(long entry, boolean believe) {
    int page = file.sizing.page(entry);
    if (!believe || states[page] != State.GOOD) {
      file.counters.count(BufferedBloomCount.DOUBTS);
      return true;
    }
    return file.sizing.hasKey(frame.bytes, frame.payloadOffset(page), entry);
  }

  // ---- Pages ----

  /** Reads those pages of the group that waiting keys and probes need. */
  private void read() {
    for (int first = needed.nextSetBit(0); first >= 0; ) {
      int end = runEnd(needed, first, State.UNREAD);
      readRun(first, end);
      first = needed.nextSetBit(end);
    }
  }

  /** Reads adjacent pages of the group in one request, or one by one if that fails. */
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

  /** Reads a single page again whose request failed. */
  private void readAgain(int page) {
    try {
      file.pages.read(groupPage + page, 1, frame.view(page, 1));
      states[page] = State.GOOD;
    } catch (IOException e) {
      states[page] = e instanceof DamagedPageException ? State.DAMAGED : State.FAILED;
      fail(e);
    }
  }

  /** Records and counts a failed read or write of pages. */
  private void fail(IOException e) {
    failure = failure == null ? e : failure;
    file.counters.recordFailure(e);
  }

  /**
   * Writes the changed pages of the group.
   *
   * @return whether all were written
   */
  private boolean write() {
    boolean written = true;
    for (int page = dirty.nextSetBit(0); page >= 0; page = dirty.nextSetBit(page + 1)) {
      if (states[page] == State.DAMAGED) {
        file.pages.setAllBits(groupPage + page, frame, page);
        states[page] = State.GOOD;
        file.counters.count(BufferedBloomCount.REPLACED_PAGES);
      }
      dirty.set(page, states[page] == State.GOOD); // others must not get a valid checksum
      written &= dirty.get(page);
    }
    for (int first = dirty.nextSetBit(0); first >= 0; ) {
      int end = runEnd(dirty, first, State.GOOD);
      written &= write(first, end);
      first = dirty.nextSetBit(end);
    }
    return written;
  }

  /**
   * Writes adjacent pages of the group in one request.
   *
   * @return whether they were written
   */
  private boolean write(int first, int end) {
    try {
      file.pages.write(groupPage + first, end - first, frame.view(first, end - first));
      return true;
    } catch (IOException e) {
      fail(e);
      return false;
    }
  }

  /**
   * Returns the end of the run of adjacent marked pages that begins with a given page. Short gaps
   * of unmarked pages in the state {@code gaps} belong to it.
   */
  private int runEnd(BitSet marks, int first, State gaps) {
    int end = first + 1;
    for (int page = end;
        page < states.length && page - end <= joinPages && states[page] == gaps;
        page++) {
      if (marks.get(page)) {
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

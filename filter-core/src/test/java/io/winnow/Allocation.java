package io.winnow;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** How many bytes a piece of code allocates on the current thread. */
public final class Allocation {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocation() {}

  public static long bytesOf(Runnable code) {
    long id = Thread.currentThread().getId();
    long before = THREADS.getThreadAllocatedBytes(id);
    code.run();
    return THREADS.getThreadAllocatedBytes(id) - before;
  }
}

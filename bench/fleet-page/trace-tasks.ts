/** Duration of every task of a page's main thread, from the browser's trace. */
import type { Browser, Page } from '@playwright/test';

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds. */
  ts: number;
  dur?: number;
  args?: { name?: string };
}

const TASK = 'ThreadControllerImpl::RunTask';
const MARK = 'bench:';

/** Start a trace. Until `enter` is called, tasks belong to the part `first`. */
export async function traceTasks(browser: Browser, page: Page, first: string) {
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  return {
    /** Start a part, which lasts until the next part. */
    enter: (part: string) => page.evaluate((name) => void performance.mark(name), MARK + part),
    /** End the trace. Returns the durations of each part's tasks, milliseconds. */
    async end(): Promise<Record<string, number[]>> {
      const text = (await browser.stopTracing()).toString('utf8');
      const { traceEvents } = JSON.parse(text) as { traceEvents: TraceEvent[] };
      return tasksOfParts(traceEvents, first);
    },
  };
}

/** The page's thread is the one with the marks; other threads of the browser have the same name. */
function tasksOfParts(events: readonly TraceEvent[], first: string): Record<string, number[]> {
  const marks = events.filter(({ name }) => name.startsWith(MARK)).sort((a, b) => a.ts - b.ts);
  const thread = marks[0];
  if (thread === undefined) throw new Error('the trace of the page holds none of its marks');
  const parts: Record<string, number[]> = {};
  for (const { name, ph, pid, tid, ts, dur = 0 } of events) {
    if (name !== TASK || ph !== 'X' || pid !== thread.pid || tid !== thread.tid) continue;
    const part = marks.findLast((mark) => mark.ts <= ts)?.name.slice(MARK.length) ?? first;
    parts[part] ??= [];
    parts[part].push(dur / 1_000);
  }
  return parts;
}

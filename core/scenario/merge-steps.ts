import type { ScenarioStep } from './types';

/** Courses may be endless, so each pass reads one minute of them. */
const WINDOW_MS = 60_000;

/** The steps of all courses up to and including `untilMs`, sorted by time, then by course. */
export function* mergeSteps(
  courses: readonly Iterator<ScenarioStep>[],
  untilMs: number,
): Generator<ScenarioStep> {
  const open = courses.map((rest) => ({ rest, next: rest.next() }));
  for (;;) {
    const times = open.flatMap(({ next }) => (next.done ? [] : [next.value.afterMs]));
    const first = Math.min(...times);
    if (times.length === 0 || first > untilMs) return;
    const end = Math.min(first + WINDOW_MS, untilMs);
    const window: ScenarioStep[] = [];
    for (const course of open) {
      for (; !course.next.done && course.next.value.afterMs <= end; course.next = course.rest.next()) {
        window.push(course.next.value);
      }
    }
    yield* window.sort((a, b) => a.afterMs - b.afterMs);
  }
}

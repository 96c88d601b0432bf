import type { ScenarioStep } from './types';

interface Head {
  step: ScenarioStep;
  order: number;
  rest: Iterator<ScenarioStep>;
}

/** Order of two steps: by time, then by source. */
function isBefore(a: Head, b: Head): boolean {
  return a.step.afterMs === b.step.afterMs ? a.order < b.order : a.step.afterMs < b.step.afterMs;
}

/** In order of time up to and including `untilMs`; a heap with one step per source, which may be endless. */
export function* mergeSteps(
  courses: Iterable<Iterable<ScenarioStep>>,
  untilMs: number,
): Generator<ScenarioStep> {
  const heap: Head[] = [];
  let order = 0;
  for (const course of courses) {
    const rest = course[Symbol.iterator]();
    const first = rest.next();
    if (!first.done) heap.push({ step: first.value, order, rest });
    order += 1;
  }
  for (let i = Math.floor(heap.length / 2) - 1; i >= 0; i -= 1) sink(heap, i);
  for (let top = heap[0]; top !== undefined && top.step.afterMs <= untilMs; top = heap[0]) {
    yield top.step;
    const next = top.rest.next();
    if (next.done) {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return;
      heap[0] = last;
    } else {
      top.step = next.value;
    }
    sink(heap, 0);
  }
}

function sink(heap: Head[], from: number): void {
  let index = from;
  for (;;) {
    const node = heap[index];
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    if (node === undefined || left === undefined) return;
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, node)) return;
    const childIndex = 2 * index + (isRight ? 2 : 1);
    heap[index] = child;
    heap[childIndex] = node;
    index = childIndex;
  }
}

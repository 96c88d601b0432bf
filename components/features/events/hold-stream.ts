/**
 * The displayed stream. While the viewer reads, new events are held back: what is under the pointer, the focus
 * or the eye stays where it is. Revisions show at once, in their place.
 */
import type { EventList } from '@/core/api/responses';
import type { SessionEvent } from '@/core/events/event';
import {
  addOlderEvents,
  applyEventsFrame,
  beginEventStream,
  type EventStream,
  type EventsFrame,
  joinEvents,
} from '@/core/live/event-stream';

export interface HeldStream {
  stream: EventStream;
  /** Ids of events that are held back. */
  waiting: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function beginHeld(page: EventList): HeldStream {
  return { stream: beginEventStream(page), waiting: NONE };
}

/** @param isHeld whether new events are held back */
export function takeFrame(
  held: HeldStream,
  frame: EventsFrame,
  matches: (event: SessionEvent) => boolean,
  isHeld: boolean,
): HeldStream {
  const stream = applyEventsFrame(held.stream, frame, matches);
  if (stream === held.stream) return held;
  const before = new Set(held.stream.events.map(({ id }) => id));
  const isWaiting = ({ id }: SessionEvent) => held.waiting.has(id) || (isHeld && !before.has(id));
  const waiting = stream.events.filter(isWaiting);
  // Nothing of what was read is left: there is no place to keep.
  if (waiting.length === stream.events.length) return { stream, waiting: NONE };
  return { stream, waiting: waiting.length === 0 ? NONE : new Set(waiting.map(({ id }) => id)) };
}

export function takeOlder(held: HeldStream, page: EventList): HeldStream {
  return { ...held, stream: addOlderEvents(held.stream, page) };
}

/** Shows the known events of another query until its page arrives. */
export function narrow(held: HeldStream, matches: (event: SessionEvent) => boolean): HeldStream {
  return {
    stream: { ...held.stream, events: held.stream.events.filter(matches), older: null },
    waiting: NONE,
  };
}

/** The page of the query arrived. */
export function takePage(held: HeldStream, page: EventList): HeldStream {
  return { stream: joinEvents(beginEventStream(page), held.stream.events), waiting: NONE };
}

/** Shows what waited. */
export function release(held: HeldStream): HeldStream {
  return held.waiting.size === 0 ? held : { ...held, waiting: NONE };
}

export function shownEvents({ stream, waiting }: HeldStream): readonly SessionEvent[] {
  return waiting.size === 0 ? stream.events : stream.events.filter(({ id }) => !waiting.has(id));
}

import type { CallWatch } from './watch-call';

/** Takes bytes as they come and gives those back that are to be passed on. */
export interface EventSplitter {
  take(bytes: Uint8Array): Uint8Array;
  /** What is left at the end. */
  end(): Uint8Array;
}

/** An event ends with an empty line, in any of the three line ends. */
const EVENT_END = /\r\n\r\n|\n\n|\r\r/;

/** Server-sent events: each is shown to the watch once it is whole, and passed on unless it is to be hidden. */
export function splitEvents(watch: CallWatch): EventSplitter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const encoder = new TextEncoder();
  let rest = '';

  const takeWhole = (isEnd: boolean): Uint8Array => {
    let kept = '';
    for (let end = endOf(rest); end !== null; end = endOf(rest)) {
      const event = rest.slice(0, end);
      rest = rest.slice(end);
      if (showEvent(event, watch)) kept += event;
    }
    if (isEnd && showEvent(rest, watch)) kept += rest;
    return encoder.encode(kept);
  };

  return {
    take(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      return takeWhole(false);
    },
    end() {
      rest += decoder.decode();
      return takeWhole(true);
    },
  };
}

function endOf(text: string): number | null {
  const found = EVENT_END.exec(text);
  return found === null ? null : found.index + found[0].length;
}

/** Returns whether the event is passed on. */
function showEvent(event: string, watch: CallWatch): boolean {
  const data = event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  if (!data.startsWith('{')) return true;
  try {
    return watch.see(JSON.parse(data));
  } catch {
    return true;
  }
}

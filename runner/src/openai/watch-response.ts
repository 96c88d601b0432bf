/**
 * Watches a raw HTTP response that the owner reads without the package's help: as a whole, or handed on to a
 * browser as it arrives. It stays the same object; its body is read when, and as far as, the owner reads it.
 */
import type { CallWatch } from './watch-call';

const READERS = ['arrayBuffer', 'blob', 'bytes', 'clone', 'formData', 'json', 'text'] as const;
const watched = new WeakSet<Response>();

export function watchResponse(response: unknown, watch: CallWatch): unknown {
  if (!(response instanceof Response) || watched.has(response) || response.bodyUsed) return response;
  const { body, status, statusText, headers } = response;
  if (body === null || body.locked) return response;
  watched.add(response);
  const isEvents = headers.get('content-type')?.includes('text/event-stream') ?? false;
  let twin: Response | null = null;
  // Made at the first touch, since it takes hold of the body.
  const open = () => {
    twin ??= new Response(watchBody(body, isEvents, watch), { status, statusText, headers });
    return twin;
  };
  for (const name of READERS) {
    if (!(name in response)) continue;
    const value = () => Reflect.apply(Reflect.get(open(), name), open(), []);
    Object.defineProperty(response, name, { value, configurable: true });
  }
  Object.defineProperty(response, 'body', { get: () => open().body, configurable: true });
  Object.defineProperty(response, 'bodyUsed', { get: () => twin?.bodyUsed ?? false, configurable: true });
  return response;
}

function watchBody(body: ReadableStream<Uint8Array>, isEvents: boolean, watch: CallWatch): ReadableStream {
  const reader = body.getReader();
  const splitter = isEvents ? splitEvents(watch) : keepWhole(watch);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await reader.read();
            const bytes = done ? splitter.end() : splitter.take(value);
            if (bytes.length > 0) controller.enqueue(bytes);
            if (done) {
              watch.end();
              return controller.close();
            }
            if (bytes.length > 0) return;
          }
        } catch (error) {
          watch.end();
          throw error;
        }
      },
      cancel(reason) {
        watch.end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** A JSON body: passed on as it arrives, and read when it is complete. */
function keepWhole(watch: CallWatch): EventSplitter {
  const decoder = new TextDecoder();
  let text = '';
  return {
    take(bytes) {
      text += decoder.decode(bytes, { stream: true });
      return bytes;
    },
    end() {
      text += decoder.decode();
      try {
        watch.see(JSON.parse(text));
      } catch {
        // Not JSON: the owner reads it as what it is, and it states no usage.
      }
      return new Uint8Array();
    },
  };
}

/** Take bytes as they arrive, and return those to pass on. */
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

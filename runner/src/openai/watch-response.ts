/**
 * Watches a raw HTTP response that the owner reads without the package's help: as a whole, or handed on to a
 * browser as it arrives. It stays the same object; its body is read when, and as far as, the owner reads it.
 */
import type { CallWatch } from './openai-types';

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

/** An event ends with an empty line, in any of the three line ends. */
const WHOLE_EVENTS = /[\s\S]*?(?:\r\n\r\n|\n\n|\r\r)/g;

function watchBody(body: ReadableStream<Uint8Array>, isEvents: boolean, watch: CallWatch): ReadableStream {
  const reader = body.getReader();
  const passed = passOn(reader, isEvents, watch);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await passed.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await reader.cancel(reason);
        await passed.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The bytes to pass on. Events are shown to the watch once they are whole, a JSON body when it is complete. */
async function* passOn(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isEvents: boolean,
  watch: CallWatch,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: isEvents });
  let rest = '';
  const keep = (events: string[]) => {
    const kept = events.filter((event) => showEvent(event, watch)).join('');
    return kept === '' ? [] : [new TextEncoder().encode(kept)];
  };
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      rest += decoder.decode(next.value, { stream: true });
      if (isEvents) {
        const events = rest.match(WHOLE_EVENTS) ?? [];
        rest = rest.slice(events.join('').length);
        yield* keep(events);
      } else yield next.value;
    }
    rest += decoder.decode();
    if (isEvents) yield* keep([rest]);
    else show(rest, watch);
  } finally {
    watch.end();
  }
}

/** Returns whether the event is passed on. */
function showEvent(event: string, watch: CallWatch): boolean {
  const data = event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  return data.startsWith('{') ? show(data, watch) : true;
}

function show(json: string, watch: CallWatch): boolean {
  try {
    return watch.see(JSON.parse(json));
  } catch {
    // Not JSON: the owner reads it as what it is, and it states no usage.
    return true;
  }
}

import type { CallWatch } from './openai-types';

/**
 * Watches a raw HTTP response that the owner reads without the package's help, for example to forward it to a browser.
 * @returns a response with the same content, read only as far as the owner reads it.
 */
export function watchResponse(response: unknown, watch: CallWatch): unknown {
  if (!(response instanceof Response) || response.body === null || response.body.locked) return response;
  const { body, status, statusText, headers, url } = response;
  const isEvents = headers.get('content-type')?.includes('text/event-stream') ?? false;
  const watched = new Response(watchBody(body, isEvents, watch), { status, statusText, headers });
  return Object.defineProperty(watched, 'url', { value: url });
}

/** An event ends with an empty line, in any of the three line ends. */
const WHOLE_EVENTS = /[\s\S]*?(?:\r\n\r\n|\n\n|\r\r)/g;

/** The body is taken only when the owner reads, since the package may still parse it instead. */
function watchBody(body: ReadableStream<Uint8Array>, isEvents: boolean, watch: CallWatch): ReadableStream {
  const passed = passOn(body, isEvents, watch);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await passed.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await passed.return();
        await body.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The bytes to pass on. Whole events are shown to the watch, or a complete JSON body. */
async function* passOn(
  body: ReadableStream<Uint8Array>,
  isEvents: boolean,
  watch: CallWatch,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
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
    reader.releaseLock();
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
    // What is not JSON has no usage, and passes unchanged.
    return true;
  }
}

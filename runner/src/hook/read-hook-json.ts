/** Reads the hook's JSON from a stream that may be empty, endless, never closed, or not JSON. */
import type { Readable } from 'node:stream';

export type HookJson = { ok: true; value: unknown } | { ok: false; reason: string };

const READ_LIMITS = {
  maxBytes: 64 * 1024 * 1024,
  /** Longest wait for a complete value. */
  patienceMs: 10_000,
  /** Silence after which the text so far is parsed. */
  pauseMs: 50,
};

/** Line feeds and blanks may follow the last brace. */
const TAIL_BYTES = 16;

/** Never rejects. The stream is destroyed afterwards. */
export function readHookJson(stream: Readable, given: Partial<typeof READ_LIMITS> = {}): Promise<HookJson> {
  const limits = { ...READ_LIMITS, ...given };
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let pause: NodeJS.Timeout | undefined;
    const settle = (result: HookJson) => {
      clearTimeout(pause);
      clearTimeout(patience);
      stream.removeAllListeners('data');
      stream.on('error', () => undefined);
      stream.destroy();
      resolve(result);
    };
    const settleWithAll = () => settle(parse(Buffer.concat(chunks)));
    const patience = setTimeout(settleWithAll, limits.patienceMs);
    const tryEarly = () => {
      const result = parse(Buffer.concat(chunks));
      if (result.ok) settle(result);
    };
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      clearTimeout(pause);
      if (bytes > limits.maxBytes) {
        settle({ ok: false, reason: `it is larger than ${limits.maxBytes} bytes` });
      } else if (chunk.subarray(-TAIL_BYTES).toString('latin1').trimEnd().endsWith('}')) {
        pause = setTimeout(tryEarly, limits.pauseMs);
      }
    });
    stream.on('end', settleWithAll);
    stream.on('close', settleWithAll);
    stream.on('error', settleWithAll);
  });
}

/** Invalid UTF-8 becomes U+FFFD, so the rest of the object stays readable. */
function parse(bytes: Buffer): HookJson {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (text.trim() === '') return { ok: false, reason: 'it is empty' };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: 'it is not JSON' };
  }
}

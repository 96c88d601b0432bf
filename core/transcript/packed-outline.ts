/**
 * An outline in a few bytes an entry, for the pages: numbers as differences to the one before, seven bits a byte, in
 * the place of a JSON text ten times as long. What is not per entry or call stands in front as JSON.
 */
import type { TranscriptCall, TranscriptOutline } from '../api/transcript-contents';

type Head = Omit<TranscriptOutline, 'columns' | 'calls'> & { models: (string | null)[]; callCount: number };

/** First byte; raised with every change of what follows. */
const VERSION = 1;

export function packOutline(outline: TranscriptOutline): Uint8Array {
  const { columns, calls, ...rest } = outline;
  const models = [...new Set(calls.map(({ model }) => model))];
  const modelNumbers = new Map(models.map((model, number) => [model, number]));
  const head: Head = { ...rest, models, callCount: calls.length };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const out = createWriter(text.length + columns.kind.length * 12 + calls.length * 16 + 64);
  out.count(VERSION);
  out.count(text.length);
  out.bytes(text);
  for (const kind of columns.kind) out.count(kind);
  writeSteps(out, columns.line);
  for (const size of columns.bytes) out.count(size);
  writeSteps(
    out,
    columns.at.map((at) => (at === null ? null : Math.round(at * 1_000))),
  );
  for (const chain of columns.chain) out.count(chain);
  writeSteps(out, columns.call);
  // A pair is most often the neighbour.
  writeSteps(
    out,
    columns.pair.map((pair, entry) => (pair === null ? null : pair - entry)),
    0,
  );
  writeSteps(
    out,
    calls.map(({ entry }) => entry),
  );
  for (const call of calls) {
    out.count(call.chain);
    out.count(modelNumbers.get(call.model) ?? 0);
    for (const name of COUNTS) out.count(call[name]);
  }
  return out.end();
}

const COUNTS = ['input', 'output', 'cacheRead', 'cacheCreation', 'contextTokens'] as const;

/** @throws Error when these are no bytes of `packOutline` of this version */
export function unpackOutline(bytes: Uint8Array): TranscriptOutline {
  const read = createReader(bytes);
  if (read.count() !== VERSION) throw new Error('the server is of another version: load the page again');
  const { models, callCount, ...head } = JSON.parse(
    new TextDecoder().decode(read.bytes(read.count())),
  ) as Head;
  const count = head.state === 'read' ? head.entries : 0;
  const plain = (): number[] => Array.from({ length: count }, () => read.count());
  const kind = plain();
  const line = readSteps(read, count).map((value) => value ?? 0);
  const size = plain();
  const at = readSteps(read, count).map((ms) => (ms === null ? null : ms / 1_000));
  const chain = plain();
  const call = readSteps(read, count);
  const pair = readSteps(read, count, 0).map((step, entry) => (step === null ? null : entry + step));
  const entries = readSteps(read, callCount);
  const calls = entries.map((entry): TranscriptCall => {
    const [own, model] = [read.count(), models[read.count()] ?? null];
    const [input, output, cacheRead, cacheCreation, contextTokens] = COUNTS.map(() => read.count());
    return {
      entry: entry ?? 0,
      chain: own,
      model,
      input: input ?? 0,
      output: output ?? 0,
      cacheRead: cacheRead ?? 0,
      cacheCreation: cacheCreation ?? 0,
      contextTokens: contextTokens ?? 0,
    };
  });
  return { ...head, columns: { kind, line, bytes: size, at, chain, call, pair }, calls };
}

/** 0 is none; else one more than the folded difference to the last one there was, or to `from`. */
function writeSteps(out: Writer, values: readonly (number | null)[], from?: number): void {
  let last = 0;
  for (const value of values) {
    if (value === null) out.count(0);
    else {
      const step = value - (from ?? last);
      out.count((step >= 0 ? step * 2 : -step * 2 - 1) + 1);
      last = value;
    }
  }
}

function readSteps(read: Reader, count: number, from?: number): (number | null)[] {
  let last = 0;
  return Array.from({ length: count }, () => {
    const folded = read.count();
    if (folded === 0) return null;
    const step = folded - 1;
    last = (from ?? last) + (step % 2 === 0 ? step / 2 : -(step + 1) / 2);
    return last;
  });
}

interface Writer {
  count(value: number): void;
  bytes(part: Uint8Array): void;
  end(): Uint8Array;
}

function createWriter(size: number): Writer {
  let all = new Uint8Array(size);
  let at = 0;
  const reserve = (more: number): void => {
    if (at + more <= all.length) return;
    const larger = new Uint8Array(Math.max(all.length * 2, at + more));
    larger.set(all.subarray(0, at));
    all = larger;
  };
  return {
    count(value) {
      reserve(10);
      let rest = value;
      // No shifts: numbers may have more than 32 bits.
      while (rest >= 0x80) {
        all[at] = (rest % 0x80) | 0x80;
        at += 1;
        rest = Math.floor(rest / 0x80);
      }
      all[at] = rest;
      at += 1;
    },
    bytes(part) {
      reserve(part.length);
      all.set(part, at);
      at += part.length;
    },
    end: () => all.slice(0, at),
  };
}

interface Reader {
  count(): number;
  bytes(length: number): Uint8Array;
}

function createReader(all: Uint8Array): Reader {
  let at = 0;
  return {
    count() {
      let value = 0;
      let scale = 1;
      for (;;) {
        const byte = all[at];
        if (byte === undefined) throw new Error('the outline ends too early');
        at += 1;
        if (byte < 0x80) return value + byte * scale;
        value += (byte - 0x80) * scale;
        scale *= 0x80;
      }
    },
    bytes(length) {
      at += length;
      return all.subarray(at - length, at);
    },
  };
}

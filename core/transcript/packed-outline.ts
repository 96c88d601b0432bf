/**
 * An outline in a few bytes an entry, for the pages: numbers as differences to the one before, seven bits a byte, in
 * the place of a JSON text ten times as long. What is not per entry or call stands in front as JSON.
 */
import type { TranscriptCall, TranscriptOutline } from '../api/transcript-contents';

type Head = Omit<TranscriptOutline, 'columns' | 'calls'>;
type Body = Pick<TranscriptOutline, 'columns' | 'calls'>;

/** First byte; raised with every change of what follows, and `CONTENTS_VERSION` with it: bodies are kept at rest. */
const VERSION = 2;

export function packOutline({ columns, calls, ...head }: TranscriptOutline): Uint8Array {
  return joinOutline(head, packOutlineBody({ columns, calls }));
}

/** What is known of the transcript in front of what was packed before. */
export function joinOutline(head: Head, body: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const out = createWriter(text.length + body.length + 16);
  out.count(VERSION);
  out.count(text.length);
  out.bytes(text);
  out.bytes(body);
  return out.end();
}

/** Entries and calls alone: the same for as long as the transcript is. */
export function packOutlineBody({ columns, calls }: Body): Uint8Array {
  const models = [...new Set(calls.map(({ model }) => model))];
  const modelNumbers = new Map(models.map((model, number) => [model, number]));
  const text = new TextEncoder().encode(JSON.stringify(models));
  const out = createWriter(text.length + columns.kind.length * 12 + calls.length * 16 + 64);
  out.count(columns.kind.length);
  out.count(calls.length);
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
  const steps = unpackInSteps(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** As `unpackOutline`, with a moment for other work wherever it yields: a page unpacks a long one while it is scrolled. */
export function* unpackInSteps(bytes: Uint8Array): Generator<undefined, TranscriptOutline> {
  const read = createReader(bytes);
  if (read.count() !== VERSION) throw new Error('the server is of another version: load the page again');
  const decoder = new TextDecoder();
  const head = JSON.parse(decoder.decode(read.bytes(read.count()))) as Head;
  const count = read.count();
  const callCount = read.count();
  const models = JSON.parse(decoder.decode(read.bytes(read.count()))) as (string | null)[];
  const kind = toList(read.counts(count));
  yield;
  const line = toList(unfold(read.counts(count)));
  yield;
  const size = toList(read.counts(count));
  yield;
  const at = orNull(unfold(read.counts(count)), (ms) => ms / 1_000);
  yield;
  const chain = toList(read.counts(count));
  yield;
  const call = orNull(unfold(read.counts(count)), (value) => value);
  yield;
  const pair = orNull(unfold(read.counts(count), 0), (step, entry) => entry + step);
  yield;
  const entries = unfold(read.counts(callCount));
  yield;
  const rest = read.counts(callCount * CALL_NUMBERS);
  const calls: TranscriptCall[] = [];
  for (let i = 0; i < callCount; i += 1) {
    if (i % CALLS_A_STEP === 0) yield;
    const from = i * CALL_NUMBERS;
    calls.push({
      entry: entries[i] ?? 0,
      chain: rest[from] ?? 0,
      model: models[rest[from + 1] ?? -1] ?? null,
      input: rest[from + 2] ?? 0,
      output: rest[from + 3] ?? 0,
      cacheRead: rest[from + 4] ?? 0,
      cacheCreation: rest[from + 5] ?? 0,
      contextTokens: rest[from + 6] ?? 0,
    });
  }
  return { ...head, columns: { kind, line, bytes: size, at, chain, call, pair }, calls };
}

const CALLS_A_STEP = 8_192;

/** Chain, model and `COUNTS`. */
const CALL_NUMBERS = 7;

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

/** What `writeSteps` wrote, in place; NaN is none. */
function unfold(folded: Float64Array, from?: number): Float64Array {
  let last = 0;
  for (let i = 0; i < folded.length; i += 1) {
    const step = (folded[i] ?? 0) - 1;
    if (step === -1) {
      folded[i] = Number.NaN;
      continue;
    }
    last = (from ?? last) + (step % 2 === 0 ? step / 2 : -(step + 1) / 2);
    folded[i] = last;
  }
  return folded;
}

/** A loop: of a list that is iterated, each number costs many times as much. */
function toList(values: Float64Array): number[] {
  const all: number[] = [];
  for (let i = 0; i < values.length; i += 1) all.push(values[i] ?? 0);
  return all;
}

function orNull(values: Float64Array, take: (value: number, index: number) => number): (number | null)[] {
  const all: (number | null)[] = [];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? Number.NaN;
    all.push(Number.isNaN(value) ? null : take(value, i));
  }
  return all;
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
  counts(length: number): Float64Array;
  bytes(length: number): Uint8Array;
}

function createReader(all: Uint8Array): Reader {
  let at = 0;
  /** Hundreds of thousands of numbers in one loop, while somebody waits for the page. */
  const counts = (length: number): Float64Array => {
    // A number takes a byte at least: no claim makes room for more than there is.
    if (length > all.length - at) throw new Error('the outline ends too early');
    const values = new Float64Array(length);
    let place = at;
    for (let i = 0; i < length; i += 1) {
      let byte = all[place] ?? 0x100;
      place += 1;
      let value = byte & 0x7f;
      for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
        byte = all[place] ?? 0x100;
        if (place >= all.length) throw new Error('the outline ends too early');
        place += 1;
        // No shifts: numbers may have more than 32 bits.
        value += (byte & 0x7f) * scale;
      }
      values[i] = value;
    }
    at = place;
    return values;
  };
  return {
    count: () => counts(1)[0] ?? 0,
    counts,
    bytes(length) {
      at += length;
      return all.subarray(at - length, at);
    },
  };
}

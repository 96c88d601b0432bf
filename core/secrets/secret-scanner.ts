/**
 * Finds secrets in a stream of bytes. The windows overlap, so that a secret across chunks or lines is complete in one
 * window. Places are byte offsets, because the text is decoded as one character per byte. Secrets are ASCII.
 */
import { keptRules } from './kept-rules';
import { ownRules } from './own-rules';
import { resolveEscapes } from './resolve-escapes';
import { type FoundSecret, gramsOf, type SecretRule } from './secret-rule';

const WINDOW_BYTES = 256 * 1024;
/** Longer than any private key, even with line feeds that are escaped four times. */
const OVERLAP_BYTES = 32 * 1024;
const MAX_PLACES = 50_000;
const TOO_MANY = 'the transcript has too many possible secrets to mask';

export function createSecretScanner(windowBytes = WINDOW_BYTES, overlapBytes = OVERLAP_BYTES) {
  const decoder = new TextDecoder('latin1');
  const window = new Uint8Array(windowBytes);
  let length = 0;
  let start = 0;
  let seen = 0;
  let places: FoundSecret[] = [];

  const scan = async (): Promise<void> => {
    const found = await findSecrets(decoder.decode(window.subarray(0, length)));
    for (const { from, to, rule } of found) places.push({ from: start + from, to: start + to, rule });
    seen = length;
    if (places.length > MAX_PLACES) places = mergePlaces(places);
    if (places.length > MAX_PLACES) throw new Error(TOO_MANY);
  };

  return {
    async push(chunk: Uint8Array): Promise<void> {
      let at = 0;
      while (at < chunk.length) {
        const piece = chunk.subarray(at, at + windowBytes - length);
        window.set(piece, length);
        length += piece.length;
        at += piece.length;
        if (length < windowBytes) return;
        await scan();
        window.copyWithin(0, windowBytes - overlapBytes);
        start += windowBytes - overlapBytes;
        length = overlapBytes;
        seen = overlapBytes;
      }
    },
    async end(): Promise<FoundSecret[]> {
      if (length > seen) await scan();
      return mergePlaces(places);
    },
  };
}

/** Sort places and merge overlapping places. A merged place has the rule of the longest place. */
function mergePlaces(places: readonly FoundSecret[]): FoundSecret[] {
  const merged: (FoundSecret & { longest: number })[] = [];
  for (const place of places.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const length = place.to - place.from;
    const last = merged.at(-1);
    if (last === undefined || place.from >= last.to) {
      merged.push({ ...place, longest: length });
      continue;
    }
    last.to = Math.max(last.to, place.to);
    if (length > last.longest) {
      last.rule = place.rule;
      last.longest = length;
    }
  }
  return merged.map(({ from, to, rule }) => ({ from, to, rule }));
}

const RULES: readonly SecretRule[] = [...keptRules, ...ownRules];
const MAX_FOUND = 20_000;

/** Places in `text`, unordered and possibly overlapping. A place includes its escapes completely. */
async function findSecrets(text: string): Promise<FoundSecret[]> {
  const found = await runRules(text);
  const resolved = resolveEscapes(text);
  if (resolved === null) return found;
  const { placeOf } = resolved;
  for (const { from, to, rule } of await runRules(resolved.text)) {
    found.push({ from: placeOf(from), to: placeOf(to), rule });
  }
  return found;
}

async function runRules(text: string): Promise<FoundSecret[]> {
  const grams = gramsOf(text);
  const found: FoundSecret[] = [];
  const report = (secret: FoundSecret) => {
    if (found.length >= MAX_FOUND) throw new Error(TOO_MANY);
    if (secret.to > secret.from) found.push(secret);
  };
  for (const rule of RULES) await rule(text, report, grams);
  return found;
}

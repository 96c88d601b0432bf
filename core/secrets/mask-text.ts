/** Text with its secrets replaced by marks such as `[masked: GitHub token]`. */
import type { FoundSecret } from './secret-rule';
import { createSecretScanner } from './secret-scanner';

export async function maskText(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return maskRange(bytes, await findPlaces(bytes), 0, bytes.length);
}

export async function findPlaces(bytes: Uint8Array): Promise<readonly FoundSecret[]> {
  const scanner = createSecretScanner();
  await scanner.push(bytes);
  return scanner.end();
}

export function maskRange(
  bytes: Uint8Array,
  places: readonly FoundSecret[],
  from: number,
  to: number,
): string {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let at = from;
  for (const place of places) {
    if (place.to <= at || place.from >= to) continue;
    parts.push(decoder.decode(bytes.subarray(at, Math.max(at, place.from))), `[masked: ${place.rule}]`);
    at = Math.min(to, place.to);
  }
  parts.push(decoder.decode(bytes.subarray(at, to)));
  return parts.join('');
}

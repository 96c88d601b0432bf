/** Sources as the numbers that rows hold, best first. Appending is safe; the order is stored. */
import type { SourceName } from '../../core/protocol/messages';

const SOURCES: readonly SourceName[] = ['transcript', 'sdk', 'hook', 'otlp'];

export function sourceCode(source: SourceName): number {
  return SOURCES.indexOf(source);
}

/** @throws for a number that no version of this code has written. */
export function sourceOf(code: number): SourceName {
  const source = SOURCES[code];
  if (!source) throw new RangeError(`no source has the code ${code}`);
  return source;
}

/** Sources of a set of bits (`sessions.sources`: bit 0 transcript … bit 3 otlp), best first. */
export function sourcesOf(bits: number): SourceName[] {
  return SOURCES.filter((_, code) => bits & (1 << code));
}

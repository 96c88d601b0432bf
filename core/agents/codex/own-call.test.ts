import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { measureItems } from '../testing/measure-sessions';
import { codex } from '.';

const folder = new URL('./fixtures/compaction-by-the-server/sessions/2026/03/01/', import.meta.url);
const name = 'rollout-2026-03-01T10-00-00-019c8a4c-0000-7000-8000-00000000000a.jsonl';
const lines = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n');
const identity = codex.identify(`/home/dev/.codex/sessions/${name}`, lines[0] ?? '');

function makeParser(state?: unknown) {
  if (identity === null) throw new Error('no rollout');
  const owners = { claim: (_: string, session: string) => session };
  const options = { identity, content: true, owners, announces: true, fallbackAt: 0, isFree: () => true };
  return codex.createParser({ ...options, state });
}

/** The items of the file, read in two parts. At the end of a part, held calls are reported and the state is saved. */
function readInParts(cut: number, settles: boolean) {
  const first = makeParser();
  const items = lines.slice(0, cut).flatMap((line) => first.line(line));
  if (settles) items.push(...first.settle());
  const second = makeParser(JSON.parse(JSON.stringify(first.state())));
  items.push(...lines.slice(cut).flatMap((line) => second.line(line)), ...second.settle());
  return items;
}

it.each([true, false])(
  'has the same figures wherever the reading stops (reports held calls: %s)',
  (settles) => {
    const whole = measureItems(readInParts(lines.length, settles));
    for (let cut = 0; cut < lines.length; cut += 1)
      expect(measureItems(readInParts(cut, settles)), `${cut}`).toEqual(whole);
  },
);

it('never reports the compaction’s own call as a turn, unless the reading stops before the compaction', () => {
  const parser = makeParser();
  const turns = lines.flatMap((line) => parser.line(line)).filter(({ type }) => type === 'turn');
  const own = turns.filter((turn) => 'call' in turn && String(turn.call).startsWith('resp_3 '));
  expect(own).toEqual([expect.objectContaining({ scope: 'side', chain: 'acompact-resp_3' })]);
});

it('holds a record until the next line', () => {
  const at = lines.findIndex((line) => line.includes('"resp_1"'));
  const parser = makeParser();
  const callsOf = (line = '') => parser.line(line).filter(({ type }) => type === 'turn').length;
  expect(lines.slice(0, at + 1).map(callsOf)).toEqual(lines.slice(0, at + 1).map(() => 0));
  expect(parser.holdMs).toBeGreaterThan(0);
  expect(callsOf(lines[at + 1])).toBe(1);
  expect(parser.holdMs).toBe(0);
});

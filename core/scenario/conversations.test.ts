import { expect, it } from 'vitest';
import { readAll } from '../transcript/testing-transcripts';
import { demoTranscripts } from './conversations';
import { findScenario } from './find-scenario';

const NOW = Date.UTC(2026, 9, 1, 9);
const [rounding, exports] = demoTranscripts(NOW, 'a').map(({ text }) => readAll(text).losses);

it('loses an instruction, tasks and files that its summary does not name', () => {
  expect(rounding).toHaveLength(1);
  const [loss] = rounding ?? [];
  const forgotten = loss?.prompts.filter(({ isNamed }) => !isNamed).map(({ text }) => text);
  expect(forgotten).toContainEqual(expect.stringContaining('Do not change credit notes'));
  expect(loss?.filesNotNamed.map(({ path }) => path)).toContain('/srv/billing/src/money/fx-rates.ts');
  expect(loss?.toolsNotNamed).toContainEqual(expect.objectContaining({ isError: true }));
  expect(loss?.tasks.map(({ text }) => text)).toContain('Compare 200 old invoices');
});

it('drops about as many tokens as the client reports', () => {
  for (const losses of [rounding, exports]) {
    const { tokens, gone } = losses?.[0] ?? {};
    const share = (gone?.tokens ?? 0) / (tokens?.preTokens ?? 1);
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(1);
  }
  expect(rounding?.[0]?.tokens.preTokens).toBeGreaterThan(150_000);
});

it('ends before now, and has other ids in each run', () => {
  const ids = (run: string) =>
    demoTranscripts(NOW, run).flatMap(({ text }) =>
      text.split('\n').flatMap((line) => {
        const { uuid, timestamp, message } = line === '' ? {} : JSON.parse(line);
        if (timestamp !== undefined) expect(Date.parse(timestamp)).toBeLessThan(NOW);
        return [uuid, message?.id].filter((id) => id !== undefined);
      }),
    );
  const all = [...new Set(ids('a')), ...new Set(ids('b'))];
  expect(new Set(all).size).toBe(all.length);
});

it.each(['demo-fleet', 'fleet-of 200'])('%s has one project if it is given', (name) => {
  const projects = new Set<string>();
  const streams = new Map<string, string>();
  for (const { project, stream, runner, source } of findScenario(name, {
    minutes: 0,
    project: 'demo',
  }).items()) {
    projects.add(project);
    // A runner has one queue per source, and each queue has one client.
    const queue = `${runner.name} ${source}`;
    expect(streams.get(queue) ?? stream).toBe(stream);
    streams.set(queue, stream);
  }
  expect([...projects]).toEqual(['demo']);
});

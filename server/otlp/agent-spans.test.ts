import { expect, test } from 'vitest';
import { createAgentSpans, type TracedSpan } from './agent-spans';
import type { Report } from './report';

const resource = new Map();
const agentOf = (trace: string): TracedSpan => ({
  ...{ resource, trace, span: 'agent', parent: '' },
  agent: { name: 'planner', conversation: 'talk' },
});
const report = (session: string): Report => ({
  ...{ client: null, session, at: 0, facts: { type: 'turn' } },
});
const sessionOf = (memory: ReturnType<typeof createAgentSpans>, project: string, trace: string) =>
  memory.place(project, report(trace), { trace, span: 'agent' }).session;

test('forgets the spans of a trace after 15 minutes without a span of it', () => {
  let now = 0;
  const memory = createAgentSpans(() => now);
  memory.remember('crew', [agentOf('t-1')]);
  now = 15 * 60_000;
  memory.trim();
  expect(sessionOf(memory, 'crew', 't-1')).toBe('talk');
  now *= 2;
  memory.remember('crew', [agentOf('t-2')]);
  now += 1;
  memory.trim();
  expect([sessionOf(memory, 'crew', 't-1'), sessionOf(memory, 'crew', 't-2')]).toEqual(['t-1', 'talk']);
});

test('forgets the oldest traces of a project with more than 10 000 spans, and none of another project', () => {
  const memory = createAgentSpans(() => 0);
  const bulk = Array.from({ length: 9_999 }, (_, index) => ({ ...agentOf('t-2'), span: `span-${index}` }));
  memory.remember('other', [agentOf('t-1')]);
  memory.remember('crew', [agentOf('t-1'), agentOf('t-2'), ...bulk]);
  memory.trim();
  expect(sessionOf(memory, 'other', 't-1')).toBe('talk');
  expect([sessionOf(memory, 'crew', 't-1'), sessionOf(memory, 'crew', 't-2')]).toEqual(['t-1', 'talk']);
});

test('forgets the oldest traces of the largest project if all projects together have more than 100 000 spans', () => {
  const memory = createAgentSpans(() => 0);
  const spansOf = (trace: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...agentOf(trace), span: `span-${index}` }));
  memory.remember('small', [agentOf('t-1')]);
  for (let project = 0; project < 11; project += 1)
    for (const trace of ['t-1', 't-2'])
      memory.remember(`p-${project}`, [agentOf(trace), ...spansOf(trace, 4_600)]);
  memory.trim();
  expect(sessionOf(memory, 'small', 't-1')).toBe('talk');
  const first = Array.from({ length: 11 }, (_, project) => sessionOf(memory, `p-${project}`, 't-1'));
  expect(first.filter((session) => session === 't-1')).toHaveLength(1);
});

test('forgets the projects that were used longest ago if there are more than 100', () => {
  const memory = createAgentSpans(() => 0);
  for (let project = 0; project <= 100; project += 1) memory.remember(`p-${project}`, [agentOf('t-1')]);
  memory.trim();
  expect([sessionOf(memory, 'p-0', 't-1'), sessionOf(memory, 'p-1', 't-1')]).toEqual(['t-1', 'talk']);
});

test('ends at spans that name each other as their parent', () => {
  const memory = createAgentSpans(() => 0);
  const pair = [
    { span: 'a', parent: 'b' },
    { span: 'b', parent: 'a' },
  ];
  memory.remember(
    'crew',
    pair.map((each) => ({ ...each, resource, trace: 't-1', agent: null })),
  );
  expect(memory.place('crew', report('t-1'), { trace: 't-1', span: 'a' })).toMatchObject({ session: 't-1' });
});

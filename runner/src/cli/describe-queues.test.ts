import { describe, expect, it } from 'vitest';
import type { QueueReport } from '../queue/open-queue';
import { describeQueues } from './doctor-findings';

const NOW = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;

function queue(project: string, change: Partial<QueueReport> = {}): QueueReport {
  return {
    url: 'http://127.0.0.1:4680',
    project,
    runner: { name: 'laptop' },
    stream: project,
    folder: `/queue/${project}`,
    items: 2,
    bytes: 100,
    inUse: false,
    createdAt: NOW - 2 * HOUR_MS,
    ...change,
  } as QueueReport;
}

describe('describeQueues', () => {
  it('groups waiting queues by server', () => {
    const waiting = ['a', 'b', 'c', 'd', 'e'].map((project) => queue(project));
    const findings = describeQueues([...waiting, queue('old', { items: 0 })], '/queue', NOW);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.text).toMatch(
      /^10 items \(.+\) of a by laptop, b by laptop, c by laptop and 2 more for http:\/\/127.+, up to 2 h old$/,
    );
    expect(findings[0]?.remedy).toMatch(/^Nothing is lost/);
  });

  it('separates running processes and other servers', () => {
    const findings = describeQueues(
      [queue('a', { items: 1 }), queue('b', { inUse: true }), queue('c', { url: 'http://127.0.0.1:4681' })],
      '/queue',
      NOW,
    );
    expect(findings.map(({ remedy }) => remedy !== undefined)).toEqual([true, false, true]);
    expect(findings[0]?.text).toMatch(/^1 item \(.+, 2 h old$/);
    expect(findings[1]?.text).toMatch(/; a running process sends them$/);
  });

  it('reports an empty queue', () => {
    expect(describeQueues([queue('a', { items: 0 })], '/queue', NOW)).toEqual([
      { state: 'ok', topic: 'queue', text: 'empty (/queue)' },
    ]);
  });
});

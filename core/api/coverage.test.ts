import { describe, expect, it } from 'vitest';
import { coverageOf } from './coverage';

const facts = { lens: 'snapshot', limitSource: 'turn', complete: true, hasComposition: false } as const;
const topicOf = (sources: Parameters<typeof coverageOf>[0]['sources'], topic: string) =>
  coverageOf({ ...facts, sources }).find((one) => one.topic === topic);

describe('coverage of the sources', () => {
  it('has the compaction call in a transcript if the client kept its file', () => {
    const topic = topicOf(['transcript'], 'compaction call');
    expect(topic?.seen).toBe(true);
    expect(topic?.note).toMatch(/separate chain, if the client kept its file .*agent-acompact/);
  });

  it('lacks the compaction call if only hooks report', () => {
    expect(topicOf(['hook'], 'compaction call')).toMatchObject({ seen: false });
  });

  it('includes the composition if the runner sends it, else explains how to send it', () => {
    const topic = (hasComposition: boolean) =>
      coverageOf({ ...facts, sources: ['sdk'], hasComposition }).find(
        (one) => one.topic === 'context composition',
      );
    expect(topic(true)).toMatchObject({ seen: true, note: 'tokens by role, as the runner counts them' });
    expect(topic(false)).toMatchObject({ seen: false, note: expect.stringContaining('barograph/tracker') });
  });

  it('is the union of all its sources', () => {
    expect(topicOf(['transcript'], 'blocked and failed compactions')?.seen).toBe(false);
    expect(topicOf(['transcript', 'hook'], 'blocked and failed compactions')?.seen).toBe(true);
  });
});

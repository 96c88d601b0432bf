import { describe, expect, it } from 'vitest';
import { coverageOf } from './coverage';

const facts = { lens: 'snapshot', limitSource: 'turn', complete: true } as const;
const topicOf = (sources: Parameters<typeof coverageOf>[0]['sources'], topic: string) =>
  coverageOf({ ...facts, sources }).find((one) => one.topic === topic);

describe('what the sources of a session can see', () => {
  it("has the compaction's own call in a transcript, where the client kept its file", () => {
    const topic = topicOf(['transcript'], "the compaction's own call");
    expect(topic?.seen).toBe(true);
    expect(topic?.note).toMatch(/where the client kept its file .*agent-acompact.* chain of its own/);
  });

  it("lacks the compaction's own call where hooks alone report", () => {
    expect(topicOf(['hook'], "the compaction's own call")).toMatchObject({ seen: false });
  });

  it('is that of all its sources together', () => {
    expect(topicOf(['transcript'], 'blocked and failed compactions')?.seen).toBe(false);
    expect(topicOf(['transcript', 'hook'], 'blocked and failed compactions')?.seen).toBe(true);
  });
});

import { expect, it } from 'vitest';
import type { ChainComposition } from '@/core/api/composition';
import { eventOf } from '@/core/events/event.fixture';
import { type Suggestion, sentenceSince, suggestionWords } from './advice-panel';

const composition: ChainComposition = {
  chain: 'main',
  context: 1,
  turn: 12,
  at: new Date(0).toISOString(),
  roles: [],
  suggestions: [],
  compression: null,
};

it.each<[Suggestion['kind'], number, string]>([
  ['summarize_assistant_messages', 1_031, 'Summarise 1 031 assistant messages'],
  ['remove_old_user_messages', 9, 'Remove the 9 oldest user messages'],
  ['remove_old_user_messages', 1, 'Remove the oldest user message'],
])('says in words what could be taken out: %s, %i', (kind, messages, words) => {
  const suggestion = { kind, messages, tokensSaved: 1, impact: 'low' } as const;
  expect(suggestionWords(suggestion).replaceAll(/[\u00a0\u202f]/g, ' ')).toBe(words);
});

it('gives no advice on a context that has ended', () => {
  const since = (chain: string, contextCount: number) =>
    sentenceSince({ ...composition, chain }, { contextCount }, []);
  expect(since('main', 2)).toBeNull();
  expect(since('main', 3)).toContain('has ended');
  expect(since('agent-a', 3)).toBeNull();
});

it('gives no advice once messages were taken out', () => {
  const since = (turn: number, chain = 'main') => {
    const event = eventOf({ id: 'e', kind: 'context_compressed', context: 1, turn, chain });
    return sentenceSince(composition, { contextCount: 2 }, [event]);
  };
  expect(since(11)).toBeNull();
  expect(since(12)).toContain('taken out');
  expect(since(13, 'agent-a')).toBeNull();
});

import { describe, expect, it } from 'vitest';
import type { ChainComposition } from '@/core/api/composition';
import { eventOf } from '@/core/events/event.fixture';
import { prepareAdvice } from './prepare-advice';

const thin = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');
const composition = (fields: Partial<ChainComposition> = {}): ChainComposition => ({
  chain: 'main',
  context: 1,
  turn: 12,
  at: new Date(0).toISOString(),
  roles: [
    { role: 'system', messages: 1, tokens: 2_000 },
    { role: 'user', messages: 14, tokens: 8_000 },
    { role: 'assistant', messages: 31, tokens: 30_000 },
  ],
  suggestions: [],
  compression: null,
  ...fields,
});

describe('the advice on a context', () => {
  it('gives each role its share of all tokens', () => {
    const { roles, tokens, messages } = prepareAdvice(composition(), { contextCount: 2 }, []);
    expect([tokens, messages]).toEqual([40_000, 46]);
    expect(roles.map(({ name, share }) => [name, share])).toEqual([
      ['system', 0.05],
      ['user', 0.2],
      ['assistant', 0.75],
    ]);
  });

  it('has no share of nothing', () => {
    const roles = [{ role: 'user', messages: 2, tokens: 0 }];
    const suggestions = [
      { kind: 'remove_old_user_messages', messages: 1, tokensSaved: 0, impact: 'low' } as const,
    ];
    const advice = prepareAdvice(composition({ roles, suggestions }), { contextCount: 2 }, []);
    expect(advice.roles[0]?.share).toBe(0);
    expect(advice.suggestions[0]?.share).toBeNull();
    expect(prepareAdvice(composition({ roles: [] }), { contextCount: 2 }, [])).toMatchObject({ tokens: 0 });
  });

  it('says in words what could be taken out', () => {
    const advice = prepareAdvice(
      composition({
        suggestions: [
          {
            kind: 'summarize_assistant_messages',
            messages: 1_031,
            tokensSaved: 15_000,
            impact: 'medium',
          },
          { kind: 'remove_old_user_messages', messages: 9, tokensSaved: 4_000, impact: 'low' },
          { kind: 'remove_old_user_messages', messages: 1, tokensSaved: 1, impact: 'low' },
        ],
      }),
      { contextCount: 2 },
      [],
    );
    expect(advice.suggestions.map(({ text, share }) => [thin(text), share])).toEqual([
      ['Summarise 1 031 assistant messages', 0.375],
      ['Remove the 9 oldest user messages', 0.1],
      ['Remove the oldest user message', 0.000025],
    ]);
  });

  it('is a record of the past once its context has ended', () => {
    expect(prepareAdvice(composition(), { contextCount: 2 }, []).since).toBeNull();
    expect(prepareAdvice(composition(), { contextCount: 3 }, []).since).toBe('ended');
    expect(prepareAdvice(composition({ chain: 'agent-a' }), { contextCount: 3 }, []).since).toBeNull();
  });

  it('is a record of the past once messages were taken out behind it', () => {
    const since = (turn: number, chain = 'main') => {
      const event = eventOf({ id: 'e', kind: 'context_compressed', context: 1, turn, chain });
      return prepareAdvice(composition(), { contextCount: 2 }, [event]).since;
    };
    expect([since(11), since(12), since(13)]).toEqual([null, 'compressed', 'compressed']);
    expect(since(13, 'agent-a')).toBeNull();
  });

  it('knows when a compression would take nothing out', () => {
    const compression = { targetPercent: 50, messagesRemoved: 0, tokensRemoved: 0, tokensLeft: 40_000 };
    const below = prepareAdvice(composition({ compression }), { contextCount: 2 }, []);
    expect(below.compression).toMatchObject({ isBelow: true });
    const some = { ...compression, messagesRemoved: 3, tokensRemoved: 5_000 };
    expect(
      prepareAdvice(composition({ compression: some }), { contextCount: 2 }, []).compression,
    ).toMatchObject({
      isBelow: false,
    });
  });
});

import { expect, test } from 'vitest';
import type { TranscriptItemOf } from '../agent-format';
import { createParser } from './items';

/** The call of a message with these tokens; 10 of the input's 3,010 tokens are not cached. */
function readCall(tokens: object) {
  const identity = { session: 'opencode:s', chain: null, folder: null, project: 'p', clientSessionId: 's' };
  const owners = { claim: (_: string, session: string) => session };
  const parser = createParser({
    ...{ identity, owners, content: true, announces: true, fallbackAt: 0, isFree: () => true },
  });
  const message = {
    ...{ role: 'assistant', time: { created: 10, completed: 20 }, finish: 'stop' },
    tokens: { input: 10, reasoning: 40, cache: { read: 3_000, write: 0 }, ...tokens },
  };
  const items = parser.line(JSON.stringify({ id: 'msg_1', message, parts: [] }));
  return items.find((item): item is TranscriptItemOf<'turn'> => item.type === 'turn');
}

test.each([
  ['adds reasoning tokens to the output', { output: 60, total: 3_110 }],
  ['adds reasoning tokens to the output of a call without a total', { output: 60 }],
  [
    'counts reasoning tokens once where an older version includes them in the output',
    { output: 100, total: 3_110 },
  ],
])('%s', (_, tokens) => {
  expect(readCall(tokens)).toMatchObject({
    usage: { input: 10, output: 100, cacheRead: 3_000 },
    contextTokens: 3_110,
  });
});

/**
 * Reports one simulated session from start to end, with a compaction: `node report-a-session.mjs`.
 * The session's page shows two contexts: a rise to 166 k, a compaction, and the start of a second rise.
 */
import { finish, startSession } from './connect.mjs';

const session = startSession('report-a-session', `example-${Date.now()}`, {
  title: 'An example session',
  client: 'example',
  model: 'example-model',
  lens: 'snapshot',
  limit: 200_000,
});

let occupied = 20_000;
for (let call = 1; call <= 20; call += 1) {
  const usage = { inputTokens: 8_000, outputTokens: 500 + call * 20, cacheReadTokens: occupied };
  occupied += usage.inputTokens + usage.outputTokens;
  session?.turn({ call: `call-${call}`, usage, contextTokens: occupied });
  if (occupied > 165_000) {
    session?.compaction({ trigger: 'auto', state: 'confirmed', preTokens: occupied, postTokens: 30_000 });
    occupied = 30_000;
  }
}
await finish();

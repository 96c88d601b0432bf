/**
 * Reports one simulated session from start to end, with a compaction: `node report-a-session.mjs`.
 * The session's page shows two contexts: a rise to 166 k, a compaction, and the start of a second rise.
 */
import { connect, finish } from './connect.mjs';

const client = connect('report-a-session');

const session = client?.session(`example-${Date.now()}`, {
  title: 'An example session',
  client: 'example',
  model: 'example-model',
  lens: 'snapshot',
  limit: 200_000,
});

let occupied = 20_000;
for (let call = 1; call <= 20; call += 1) {
  const output = 500 + call * 20;
  const input = 8_000;
  occupied += input + output;
  session?.turn({
    call: `call-${call}`,
    usage: { input, output, cacheRead: occupied - input - output },
    contextTokens: occupied,
  });
  if (occupied > 165_000) {
    session?.compaction({ trigger: 'auto', state: 'confirmed', preTokens: occupied, postTokens: 30_000 });
    occupied = 30_000;
  }
}
session?.end({ reason: 'done' });

await finish(client);

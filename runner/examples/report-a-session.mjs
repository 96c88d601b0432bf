/**
 * Reports one made-up session, from its start through a compaction to its end.
 *
 *   BAROGRAPH_URL=http://127.0.0.1:4680 BAROGRAPH_TOKEN=bg_… node report-a-session.mjs
 */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from 'node:process';
import { createClient } from 'barograph';

const { BAROGRAPH_URL: url = 'http://127.0.0.1:4680', BAROGRAPH_TOKEN: token = null } = env;

const client = createClient({
  url,
  token,
  project: 'examples',
  runner: { name: 'report-a-session' },
  queueFolder: path.join(tmpdir(), 'barograph-example'),
  onRefused: ({ reason, field }) => console.error(`refused: ${field} ${reason}`),
});

const session = client.session(`example-${Date.now()}`, {
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
  session.turn({
    call: `call-${call}`,
    usage: { input, output, cacheRead: occupied - input - output },
    contextTokens: occupied,
  });
  if (occupied > 165_000) {
    session.compaction({ trigger: 'auto', state: 'confirmed', preTokens: occupied, postTokens: 30_000 });
    occupied = 30_000;
  }
}
session.end({ reason: 'done' });

const { delivered, queued, refused } = await client.close();
console.log(delivered ? 'Everything was stored.' : `${queued} items wait on disk for the server.`);
process.exitCode = delivered && refused.length === 0 ? 0 : 1;

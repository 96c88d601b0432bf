/**
 * Continues a simulated agent through three contexts: `node restart-loop.mjs`. It repairs nine files and fills a small
 * window with every fourth one; each fresh session continues from the previous checkpoint. The session's page shows
 * two climbs to 92 %, each ended by a mark for the restart, and the beginning of a third.
 */
import { runWithRestarts } from 'barograph/restart';
import { connect, finish } from './connect.mjs';

const FILES = 9;
const LIMIT = 10_000;
const client = connect('restart-loop');
const run = Date.now().toString(36);
const session = client?.session(`restart-loop-${run}`, { title: 'Repair nine files', limit: LIMIT });

/**
 * Any agent fits that can start a session and be asked something in one. A real one would keep nothing between
 * contexts either: what it did before is in its prompt.
 */
const repaired = new Map();
const agent = {
  client: 'fake-agent',
  async *start(prompt, { continuation, signal }) {
    const sessionId = `fake-${run}-${continuation}`;
    const before = Number(/Repaired so far: (\d+)/.exec(prompt)?.[1] ?? 0);
    for (let file = before + 1; file <= FILES && !signal.aborted; file += 1) {
      repaired.set(sessionId, file);
      const usage = { input_tokens: 1_500, output_tokens: 800, cache_read_input_tokens: file * 5_000 };
      yield { type: 'result', session_id: sessionId, text: `repaired file ${file}`, usage };
    }
  },
  async query(sessionId) {
    const count = repaired.get(sessionId);
    return `<checkpoint>\n## Goal\nRepair ${FILES} files.\n## Completed Work\nRepaired so far: ${count}\n</checkpoint>`;
  },
};

const result = await runWithRestarts({
  agent,
  prompt: `Repair ${FILES} files.`,
  limit: LIMIT,
  session,
  onMessage: ({ text }, { continuation, sessionId }) => {
    console.log(`context ${continuation} (${sessionId}): ${text}`);
  },
  onRestart: ({ continuation, pressureRatio, checkpoint }) => {
    const lines = checkpoint?.split('\n').length ?? 0;
    console.log(
      `restart #${continuation} at ${(pressureRatio * 100).toFixed(1)} %, with a checkpoint of ${lines} lines`,
    );
  },
});
const files = repaired.get(result.contexts.at(-1)?.sessionId);
console.log(
  `${result.outcome}: ${files} files in ${result.contexts.length} contexts, ${result.continuations} restarts`,
);

session?.end({ reason: result.outcome });
await finish(client);

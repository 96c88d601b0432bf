/**
 * Runs a simulated agent through three contexts: `node restart-loop.mjs`. The agent repairs nine files, and every
 * fourth file fills the small window. Each fresh session continues from the previous checkpoint. The session's page
 * shows two rises to 92 %, each ended by a mark for the restart, and the start of a third.
 */
import { runWithRestarts } from 'barograph/restart';
import { finish, startSession } from './connect.mjs';

const FILES = 9;
const LIMIT = 10_000;
const run = Date.now().toString(36);
const session = startSession('restart-loop', `restart-loop-${run}`, {
  title: 'Repair nine files',
  limit: LIMIT,
});

const repaired = new Map();
/** Any agent that can start a session and answer a prompt in it. A new prompt names the work of earlier contexts. */
const agent = {
  client: 'fake-agent',
  async *start(prompt, { continuation, signal }) {
    const sessionId = `fake-${run}-${continuation}`;
    const before = Number(/Repaired so far: (\d+)/.exec(prompt)?.[1] ?? 0);
    for (let file = before + 1; file <= FILES && !signal.aborted; file += 1) {
      repaired.set(sessionId, file);
      const usage = { input_tokens: 1_500, output_tokens: 800, cache_read_input_tokens: file * 5_000 };
      yield {
        type: 'result',
        session_id: sessionId,
        text: `repaired file ${file}`,
        usage,
        goesOn: file < FILES,
      };
    }
  },
  async query(sessionId) {
    const count = repaired.get(sessionId);
    return `<checkpoint>\n## Goal\nRepair ${FILES} files.\n## Completed Work\nRepaired so far: ${count}\n</checkpoint>`;
  },
};

const { contexts, continuations, outcome } = await runWithRestarts({
  agent,
  prompt: `Repair ${FILES} files.`,
  limit: LIMIT,
  session,
  onMessage: ({ text }, { continuation, sessionId }) =>
    console.log(`context ${continuation} (${sessionId}): ${text}`),
  onRestart: ({ continuation, pressure }) =>
    console.log(`restart #${continuation} at ${(pressure * 100).toFixed(1)} %`),
});
const files = repaired.get(contexts.at(-1)?.sessionId);
console.log(`${outcome}: ${files} files in ${contexts.length} contexts, ${continuations} restarts`);

await finish(outcome);

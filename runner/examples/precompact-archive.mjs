/**
 * Archives the transcript of a simulated agent before each compaction: `node precompact-archive.mjs`. The archives are
 * in a temporary folder. For the Claude Agent SDK, pass `hooks: preCompactHooks({ session })` in the options of
 * `query`; for Claude Code itself see `barograph hook --help`. The session's page shows a line that rises to 80 % twice
 * and falls to 24 %, with marks for archive and compaction.
 */
import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPreCompactHook, listArchives, verifyArchive } from 'barograph/archive';
import { bar, finish, startSession } from './connect.mjs';

const LIMIT = 200_000;
const cwd = '/home/dev/ledger';

const session = startSession('precompact-archive', `precompact-archive-${Date.now()}`, {
  title: 'Archived before each compaction',
  client: 'example',
  lens: 'snapshot',
  limit: LIMIT,
});

const folder = mkdtempSync(path.join(tmpdir(), 'barograph-archives-'));
const transcript = path.join(folder, 'example.jsonl');
const configDir = path.join(folder, 'config');
const hook = createPreCompactHook({
  repoPath: cwd,
  configDir,
  logger: console,
  ...(session === undefined ? {} : { session }),
});

let occupied = 32_000;
for (let turn = 1; turn <= 18; turn += 1) {
  const output = 900;
  const input = 15_000;
  if (occupied + input + output > 0.85 * LIMIT) {
    // What a client does: call the hook, then compact.
    await hook({ session_id: 'example', transcript_path: transcript, trigger: 'auto', cwd });
    session?.compaction({ trigger: 'auto', state: 'confirmed', preTokens: occupied, postTokens: 9_000 });
    occupied = 32_000;
  }
  occupied += input + output;
  const line = {
    type: 'assistant',
    message: { id: `msg_${turn}`, content: 'Entered the accounts. '.repeat(90) },
  };
  appendFileSync(transcript, `${JSON.stringify(line)}\n`);
  session?.turn({
    call: `call-${turn}`,
    usage: { inputTokens: input, outputTokens: output },
    contextTokens: occupied,
  });
  console.log(`turn ${turn} ${bar(occupied / LIMIT)}`);
}

const archives = await listArchives(configDir);
console.log(`${archives.length} archives:`);
for (const archive of archives.reverse()) {
  const { state, trigger, lines, archive: copy } = archive;
  const about = `${state.padEnd(8)} ${trigger.padEnd(6)} ${String(lines).padStart(2)} lines`;
  console.log(`  ${about}  ${await verifyArchive(archive)}   ${copy}`);
}
await finish();

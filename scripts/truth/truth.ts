/**
 * `npm run truth -- DIR TRUTH_DIR [--fold]`
 *
 * Imports every transcript of the known clients below DIR into a new server, reads the sessions back through the API, and
 * compares them with the independently computed numbers in TRUTH_DIR. Prints a table. Ends with 1 on any difference or
 * missing file. `--fold` runs only parser and fold, without the server.
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ownIdOf } from '../../core/agents/registry';
import {
  compareSessions,
  createCallOwners,
  type MeasuredSession,
  measureItems,
} from '../../core/agents/testing/measure-sessions';
import { collectSources, type TranscriptSession } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';
import { type Expected, measureByApi } from './measure-by-api';
import { expectRollout } from './read-codex-truth';
import { expectGemini } from './read-gemini-truth';
import { type ClaudeCodeTruth, expectSession, findTruth, readTruth, type TruthFile } from './read-truth';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { fold: { type: 'boolean' } },
  });
  const [folder, truthFolder] = positionals;
  if (folder === undefined || truthFolder === undefined) {
    console.error('usage: npm run truth -- DIR TRUTH_DIR [--fold]');
    return 2;
  }
  const truths = await readTruth(truthFolder);
  const { sessions, skipped } = await collectSources([folder]);
  for (const { path, reason } of skipped) console.log(`skipped: ${path}: ${reason}`);
  const expected = expectAll(folder, sessions, truths);
  const measured = await (values.fold ? measureByFold(sessions) : measureByApi(folder));
  const compared = [...expected.sessions].map(([session, wanted]) => {
    const found = measured.get(session) ?? measured.get(ownIdOf(session)?.id ?? '');
    if (found !== undefined) return { session, found, ...compareKnown(wanted, found) };
    const differences = [{ field: 'session', expected: 'stored', actual: 'not found' }];
    return { session, found, compared: 1, differences };
  });
  console.table(compared.map(({ session, found, differences }) => rowOf(session, found, differences.length)));
  for (const { session, differences } of compared)
    for (const { field, expected: wanted, actual } of differences)
      console.log(`${session} ${field}: expected ${String(wanted)}, found ${String(actual)}`);
  for (const name of expected.missing) console.log(`no truth for ${name}`);
  for (const name of expected.unused) console.log(`no transcript for the truth of ${name}`);
  const wrong = compared.filter(({ differences }) => differences.length > 0).length;
  const count = compared.reduce((sum, each) => sum + each.compared, 0);
  const files = sessions.reduce((sum, { sources }) => sum + sources.length, 0);
  const result =
    count === 0 ? 'FAILED, nothing to compare' : wrong > 0 ? `${wrong} sessions differ` : 'all equal';
  console.log(`${files} files, ${sessions.length} sessions, ${count} values compared: ${result}`);
  const isRight = count > 0 && wrong + expected.missing.length + expected.unused.length === 0;
  return isRight ? 0 : 1;
}

/** Compares the numbers that both sides have. */
function compareKnown(wanted: Expected, found: MeasuredSession) {
  const names = Object.keys(wanted).filter((name) => name in found) as (keyof MeasuredSession)[];
  const pick = (from: Expected) =>
    Object.fromEntries(names.map((name) => [name, from[name]])) as unknown as MeasuredSession;
  return compareSessions(pick(wanted), pick({ ...found, ...callsWith(wanted, found) }));
}

/** The stored calls. Their windows are left out if the known numbers have no windows. */
function callsWith({ calls: wanted = [] }: Expected, { calls = [] }: Expected): Expected {
  if (calls.length === 0 || wanted.some(({ limit }) => limit !== undefined)) return {};
  return { calls: calls.map(({ limit: _window, ...call }) => call) };
}

async function measureByFold(sessions: readonly TranscriptSession[]): Promise<Map<string, MeasuredSession>> {
  const owners = createCallOwners();
  const measured = new Map<string, MeasuredSession>();
  for (const session of sessions) {
    const { items } = await readSession(session, { owners, content: true });
    measured.set(session.session, measureItems(items));
  }
  return measured;
}

function expectAll(folder: string, sessions: TranscriptSession[], truths: Map<string, TruthFile>) {
  const expected = new Map<string, Expected>();
  const missing: string[] = [];
  const used = new Set<TruthFile>();
  for (const { session, sources } of sessions) {
    const agents = new Map<string, ClaudeCodeTruth>();
    let main: TruthFile | undefined;
    for (const { path, identity } of sources) {
      const truth = findTruth(truths, relative(folder, path));
      if (truth === undefined) missing.push(relative(folder, path));
      else used.add(truth);
      if (identity.chain === null) main = truth;
      else if (truth?.format === 'claude-code-jsonl') agents.set(identity.chain, truth);
    }
    if (main?.format === 'codex-rollout-jsonl') expected.set(session, expectRollout(main));
    else if (main?.format === 'gemini-cli-session-json') expected.set(session, expectGemini(main));
    else if (main !== undefined) expected.set(session, expectSession(main, agents));
  }
  const formats = new Set([...used].map(({ format }) => format));
  const unused = [...truths.values()].filter((truth) => formats.has(truth.format) && !used.has(truth));
  return { sessions: expected, missing, unused: unused.map(({ file }) => file) };
}

function rowOf(session: string, found: MeasuredSession | undefined, differences: number) {
  const name = session.replace(/^[^/]*\//, '').slice(0, 48);
  if (found === undefined) return { session: name, result: 'not found' };
  const { main, side, peak, last, contexts, compactions } = found;
  return {
    session: name,
    ...main,
    side: side.calls,
    peak,
    last,
    contexts: contexts.length,
    compactions: compactions.length,
    result: differences === 0 ? 'equal' : `${differences} differ`,
  };
}

process.exitCode = await main();

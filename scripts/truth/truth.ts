/**
 * `npm run truth -- DIR TRUTH_DIR [--fold] [--url URL --read-token TOKEN --token TOKEN]`
 *
 * Imports every Claude Code transcript below DIR into a running server (its own, unless one is given),
 * reads the sessions back through the API, and holds them against the independently computed numbers in
 * TRUTH_DIR. Prints a table; ends with 1 on any difference. `--fold` leaves the server out: parser and
 * fold alone.
 */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSessions, type MeasuredSession } from '../../core/agents/testing/measure-sessions';
import { collectSources, type TranscriptSession } from '../../runner/src/transcripts/collect-sources';
import { measureByApi } from './measure-by-api';
import { measureByFold } from './measure-by-fold';
import { type Comparison, formatTable } from './print-table';
import { expectSession, findTruth, readTruth, type TruthFile } from './read-truth';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      fold: { type: 'boolean' },
      url: { type: 'string' },
      token: { type: 'string' },
      'read-token': { type: 'string' },
    },
  });
  const [folder, truthFolder] = positionals;
  if (folder === undefined || truthFolder === undefined) {
    console.error(
      'usage: npm run truth -- DIR TRUTH_DIR [--fold] [--url URL --token TOKEN --read-token TOKEN]',
    );
    return 2;
  }
  const truths = await readTruth(truthFolder);
  const { sessions, skipped } = await collectSources([folder]);
  for (const { path, reason } of skipped) console.log(`left out: ${path}: ${reason}`);
  const expected = expectAll(folder, sessions, truths);
  const server = { url: values.url, token: values.token, readToken: values['read-token'] };
  const measured = values.fold ? await measureByFold(sessions) : await measureByApi(folder, sessions, server);
  const comparisons = compareAll(expected.sessions, measured);
  console.log(formatTable(comparisons));
  for (const name of expected.missing) console.log(`no truth for ${name}`);
  for (const name of expected.unused) console.log(`no transcript for the truth of ${name}`);
  const wrong = comparisons.filter(({ differences }) => differences.length > 0).length;
  const files = sessions.reduce((sum, session) => sum + session.sources.length, 0);
  const compared = comparisons.reduce((sum, comparison) => sum + comparison.compared, 0);
  const failure = nameFailure(compared, wrong);
  console.log(
    `${files} files, ${sessions.length} sessions, ${compared} values compared: ${failure ?? 'all equal'}`,
  );
  return failure === null && expected.missing.length === 0 && expected.unused.length === 0 ? 0 : 1;
}

/** Why the comparison failed, for the summary line; null: all values are equal. */
function nameFailure(compared: number, wrong: number): string | null {
  if (compared === 0) return 'FAILED, nothing to compare';
  return wrong === 0 ? null : `${wrong} sessions differ`;
}

function expectAll(folder: string, sessions: TranscriptSession[], truths: Map<string, TruthFile>) {
  const expected = new Map<string, MeasuredSession>();
  const missing: string[] = [];
  const unused = new Set(truths.keys());
  for (const { session, sources } of sessions) {
    const agents = new Map<string, TruthFile>();
    let main: TruthFile | undefined;
    for (const { path, identity } of sources) {
      const truth = findTruth(truths, relative(folder, path));
      if (truth === undefined) missing.push(relative(folder, path));
      else {
        unused.delete(truth.file);
        if (identity.chain === null) main = truth;
        else agents.set(identity.chain, truth);
      }
    }
    if (main !== undefined) expected.set(session, expectSession(main, agents));
  }
  return { sessions: expected, missing, unused: [...unused] };
}

function compareAll(
  expected: ReadonlyMap<string, MeasuredSession>,
  measured: ReadonlyMap<string, MeasuredSession>,
): Comparison[] {
  return [...expected].map(([session, wanted]) => {
    const found = measured.get(session);
    if (found === undefined) {
      const differences = [{ field: 'session', expected: 'stored', actual: 'not found' }];
      return { session, measured: null, compared: 1, differences };
    }
    return { session, measured: found, ...compareSessions(wanted, found) };
  });
}

process.exitCode = await main();

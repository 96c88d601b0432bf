/** The project of the demo on a server: its conversations, its alert rules, and its removal. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { demoTranscripts } from '../../../core/scenario/conversations';
import { messageOf } from '../guard';
import { httpAddress } from '../proof/prove-server';
import { type CommandContext, UsageError } from './command';
import type { ConnectedSettings } from './connection';
import { importCommand } from './import-command';
import { formatCount } from './output';
import { serverProgram } from './server-commands';

export const DEMO_PROJECT = 'demo';
const API_MS = 60_000;
/** The import gives up when the server acknowledges nothing for this long. */
const IMPORT_SECONDS = 20;

const RULES = [
  { name: 'Demo: over limit', severity: 'critical', condition: { kind: 'over_limit' } },
  {
    name: 'Demo: pressure above 85 %',
    severity: 'warning',
    condition: { kind: 'pressure', atLeast: 0.85, clear: 0.8 },
  },
];

/** Import the demo's conversations. All files are in a temporary folder. */
export async function importConversations(context: CommandContext, run: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'barograph-demo-'));
  try {
    const paths: string[] = [];
    for (const { fileName, text } of demoTranscripts(context.now(), run)) {
      paths.push(join(folder, fileName));
      await writeFile(join(folder, fileName), text);
    }
    await importCommand.run({
      ...context,
      positionals: paths,
      values: {
        ...context.values,
        project: DEMO_PROJECT,
        'queue-dir': join(folder, 'queue'),
        'config-dir': join(folder, 'archives'),
        'upload-archives': 'on',
        'timeout-seconds': String(IMPORT_SECONDS),
      },
      out: { ...context.out, line: () => undefined },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Add the demo's alert rules, unless there are some. Without a token of scope admin, the demo has no alerts. */
export async function addAlertRules(settings: ConnectedSettings, { out }: CommandContext): Promise<void> {
  try {
    if (settings.readToken !== null) {
      const { rules } = Object(await callApi(settings, settings.readToken, 'GET', '/alert-rules'));
      if (JSON.stringify(rules).includes(RULES[0]?.name ?? '')) return;
    }
    await asAdmin(settings, async (token) => {
      for (const rule of RULES) {
        const definition = { ...rule, enabled: true, scope: { project: [DEMO_PROJECT] } };
        await callApi(settings, token, 'POST', '/alert-rules', definition);
      }
    });
  } catch (error) {
    out.line(`The demo shows no alerts: ${clauseOf(error)}.`);
  }
}

/** @returns the exit code */
export async function removeDemo(settings: ConnectedSettings, { out }: CommandContext): Promise<number> {
  try {
    const path = `/projects/${DEMO_PROJECT}`;
    const removed = await asAdmin(settings, (token) => callApi(settings, token, 'DELETE', path));
    const { sessions } = Object(removed);
    out.line(
      removed === null
        ? 'There is no demo on this server.'
        : `Removed the project ${DEMO_PROJECT} with ${formatCount(Number(sessions), 'session')}.`,
    );
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    out.problem(`The demo was not removed: ${clauseOf(error)}.`);
    return 1;
  }
}

const clauseOf = (error: unknown) => messageOf(error).trim().replace(/\.$/, '');

/** On the server's machine, `work` gets a token that is revoked afterwards; elsewhere the given token. */
async function asAdmin<T>(settings: ConnectedSettings, work: (token: string) => Promise<T>): Promise<T> {
  const { secret, dataFolder, token } = settings;
  if (secret === null) return work(token ?? '');
  const program = serverProgram(dataFolder, 'token.mjs');
  const execute = (...args: string[]) => promisify(execFile)(process.execPath, [program, ...args]);
  const name = `demo-${randomUUID().slice(0, 8)}`;
  const { stdout } = await execute('--name', name, '--scope', 'admin');
  try {
    return await work(stdout.trim());
  } finally {
    await execute('--revoke', name);
  }
}

/** @returns the body; null: not found @throws Error with the server's reason */
async function callApi(
  { url }: ConnectedSettings,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(httpAddress(url, `/api/v1${path}`), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(API_MS),
    redirect: 'error',
  });
  if (response.status === 404) return null;
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  throw new Error(Object(Object(answer).error).reason ?? `the server answered ${response.status}`);
}

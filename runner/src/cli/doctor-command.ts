import { stat } from 'node:fs/promises';
import { inspectQueues } from '../queue/open-queue';
import type { RunnerSettings } from '../settings';
import { listFiles } from '../transcripts/collect-sources';
import { VERSION } from '../version';
import { CONNECTION_OPTIONS, type Command, type CommandContext, UPLOAD_OPTIONS } from './command';
import { configFolderFor, maskToken, noServer, readOrExplain } from './connection';
import { describeQueues, examineArchives, type Finding } from './doctor-findings';
import { formatCount } from './output';
import { probeServer, probeToken } from './probe-server';

/** Beyond this the server replaces the time of live items by its own. */
const SKEW_BOUND_MS = 300_000;
const SKEW_NOTE_MS = 5_000;

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the server, the token, the queue and the archives',
  usage: 'barograph doctor [OPTIONS]',
  details: `Checks the connection from this machine to the server without sending data, and prints a remedy for each
problem. Exit code: 0 no problem, 1 a problem.`,
  options: { ...CONNECTION_OPTIONS, ...UPLOAD_OPTIONS },
  positionals: { least: 0, most: 0 },
  run: runDoctor,
};

async function runDoctor({ values, out, now }: CommandContext): Promise<number> {
  const settings = readOrExplain(values);
  const findings: Finding[] = [
    { state: 'ok', topic: 'command', text: `barograph ${VERSION}, Node ${process.version}` },
  ];
  findings.push(...(await examineServer(settings, now)));
  findings.push(...describeQueues(inspectQueues(settings.queueFolder, now()), settings.queueFolder, now()));
  findings.push(await examineTranscripts(settings));
  findings.push({
    state: 'ok',
    topic: 'content',
    text: settings.content ? 'titles are sent' : 'off: numbers only',
  });
  findings.push(await examineArchives(settings, () => configFolderFor(values)));
  const signs = { ok: '✓', note: '·', wrong: '✗' };
  for (const { state, topic, text, remedy } of findings) {
    out.line(`${signs[state]} ${topic.padEnd(12)}${text}`);
    if (remedy !== undefined) out.line(`  ${''.padEnd(12)}→ ${remedy}`);
  }
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
}

async function examineServer(settings: RunnerSettings, now: () => number): Promise<Finding[]> {
  const { url, token, secret, origin } = settings;
  if (url === null)
    return [{ state: 'wrong', topic: 'server', text: 'unknown', remedy: noServer(settings.dataFolder) }];
  const address: Finding = { state: 'ok', topic: 'address', text: `${url} (from ${origin.url})` };
  const probe = await probeServer(url, now);
  if (probe.type === 'unreachable') {
    const remedy =
      'Start it (`npm start` in its folder), or correct the address with BAROGRAPH_URL or --url.';
    return [address, { state: 'wrong', topic: 'server', text: `does not answer: ${probe.reason}`, remedy }];
  }
  if (probe.type === 'stranger') {
    const text = `something answers with status ${probe.status}, and is not Barograph`;
    return [address, { state: 'wrong', topic: 'server', text, remedy: 'Check the port in the address.' }];
  }
  const server: Finding = probe.healthy
    ? { state: 'ok', topic: 'server', text: `Barograph ${probe.version}, answered in ${probe.tookMs} ms` }
    : {
        state: 'wrong',
        topic: 'server',
        text: `Barograph ${probe.version} answers, but its database does not`,
        remedy: "Check the server's log. Runners keep everything on disk meanwhile.",
      };
  const findings = [address, server];
  if (probe.clockSkewMs !== null) findings.push(examineClock(probe.clockSkewMs));
  findings.push(await examineToken(url, { token, secret, from: origin.token }));
  return findings;
}

function examineClock(skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) < SKEW_NOTE_MS) return { state: 'ok', topic: 'clock', text: 'agrees with the server' };
  const text = `this machine is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server`;
  if (Math.abs(skewMs) < SKEW_BOUND_MS) return { state: 'note', topic: 'clock', text };
  const remedy = "Set the clock (NTP): beyond 5 minutes, live items get the server's time.";
  return { state: 'wrong', topic: 'clock', text, remedy };
}

async function examineToken(
  url: string,
  { token, secret, from }: { token: string | null; secret: string | null; from: string },
): Promise<Finding> {
  const remedy =
    "Create one on the server's machine: `npm run token -- --name NAME --scope ingest`, then set BAROGRAPH_TOKEN.";
  if (token === null) return { state: 'wrong', topic: 'token', text: 'none', remedy };
  const name = `${maskToken(token)} (from ${from})`;
  const probe = await probeToken(url, token, secret);
  if (probe.type === 'good') {
    return { state: 'ok', topic: 'token', text: `${name}: "${probe.name}", scope ${probe.scope}` };
  }
  if (probe.type === 'unknown')
    return { state: 'note', topic: 'token', text: `${name}: not checked, ${probe.reason}` };
  if (probe.type === 'stranger') {
    const text = `${name}: not sent: ${probe.reason}`;
    const way = 'Start the server on this machine; for another one set BAROGRAPH_URL and BAROGRAPH_TOKEN.';
    return { state: 'wrong', topic: 'token', text, remedy: way };
  }
  return { state: 'wrong', topic: 'token', text: `${name}: refused: ${probe.reason}`, remedy };
}

async function examineTranscripts({ claudeProjects }: RunnerSettings): Promise<Finding> {
  const isThere = await stat(claudeProjects).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!isThere) {
    const remedy = 'If Claude Code keeps them elsewhere, set CLAUDE_CONFIG_DIR or name the folder.';
    return { state: 'note', topic: 'transcripts', text: `none at ${claudeProjects}`, remedy };
  }
  const files = await listFiles(claudeProjects);
  return {
    state: 'ok',
    topic: 'transcripts',
    text: `${formatCount(files.length, 'file')} in ${claudeProjects}`,
  };
}

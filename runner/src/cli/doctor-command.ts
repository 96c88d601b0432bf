import { stat } from 'node:fs/promises';
import { findQueueProblems, inspectQueues } from '../queue/open-queue';
import type { RunnerSettings } from '../settings';
import { isDatabase } from '../transcripts/database-sources';
import { sweepFolder } from '../transcripts/sweep-folder';
import { VERSION } from '../version';
import {
  CONNECTION_OPTIONS,
  type Command,
  type CommandContext,
  type Output,
  UPLOAD_OPTIONS,
} from './command';
import { configFolderFor, readOrExplain } from './connection';
import {
  describeQueues,
  examineAgents,
  examineArchives,
  examineServer,
  type Finding,
  note,
  ok,
  wrong,
} from './doctor-findings';
import { formatCount } from './output';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the server, the token, the queue, the agents and the archives',
  usage: 'barograph doctor [OPTIONS]',
  details: `Checks the connection from this machine to the server without sending data, and prints a remedy for each
problem. Exit code: 0 no problem, 1 a problem.`,
  options: { ...CONNECTION_OPTIONS, ...UPLOAD_OPTIONS },
  positionals: { least: 0, most: 0 },
  run: runDoctor,
};

const SIGNS = { ok: '✓', note: '·', wrong: '✗' };

async function runDoctor({ values, out, now }: CommandContext): Promise<number> {
  const settings = readOrExplain(values);
  const { queueFolder, content } = settings;
  const findings: Finding[] = [
    ok('command', `barograph ${VERSION}, Node ${process.version}`),
    ...(await examineServer(settings, now)),
    ...describeQueues(inspectQueues(queueFolder, now()), findQueueProblems(queueFolder), queueFolder, now()),
    ...(await Promise.all(settings.transcripts.map(examineTranscripts))).flat(),
    ...(await examineAgents(settings, now())),
    ok('content', content ? 'titles are sent' : 'off: numbers only'),
    await examineArchives(settings, () => configFolderFor(values)),
  ];
  return printFindings(out, findings);
}

/** @returns the exit code */
export function printFindings(out: Output, findings: readonly Finding[]): number {
  for (const { state, topic, text, remedy } of findings) {
    out.line(`${SIGNS[state]} ${topic.padEnd(12)}${text}`);
    if (remedy !== undefined) out.line(`  ${''.padEnd(12)}→ ${remedy}`);
  }
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
}

type TranscriptPlace = RunnerSettings['transcripts'][number];

async function examineTranscripts({ client, variable, folder, isMain }: TranscriptPlace): Promise<Finding[]> {
  const info = await stat(folder).catch(() => null);
  if (info === null || !(info.isDirectory() || isDatabase(folder))) {
    const remedy = `If ${client} writes them elsewhere, set ${variable}, or give \`barograph watch\` the folder.`;
    return isMain ? [note('transcripts', `none at ${folder}`, remedy)] : [];
  }
  const leftOut: Finding[] = [];
  const onLeftOut = (path: string, reason: string) =>
    leftOut.push(
      isDatabase(path)
        ? wrong('transcripts', `${path} cannot be read completely`, reason)
        : note('transcripts', `${path} is left out: ${reason}`),
    );
  const { size } = await sweepFolder(folder, { onLeftOut });
  const kind = isDatabase(folder) ? 'session' : 'file';
  const isNothing = size === 0 && leftOut.length > 0;
  return [...(isNothing ? [] : [ok('transcripts', `${formatCount(size, kind)} in ${folder}`)]), ...leftOut];
}

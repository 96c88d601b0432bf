import { type ListedArchive, noteUpload } from '../../archive/archive-index';
import type { ServerCheck } from '../../upload/upload-archive';
import { forgetServer } from '../../upload/upload-state';
import { nameOf } from '../archive-hand-over';
import type { CommandContext } from '../command';
import { configFolderFor, readOrExplain } from '../connection';
import { formatCount } from '../output';
import { checkCopy, checkOnServer, type LocalCheck, serverToAsk } from './check-archive';
import { selectArchives } from './select-archives';

interface Verified {
  archive: ListedArchive;
  here: LocalCheck;
  /** Null: not handed over, or there is nobody to ask. */
  server: ServerCheck | null;
  /** What is wrong, or could not be found out; null: all well. */
  fault: string | null;
}

export async function verifyCommand(context: CommandContext): Promise<number> {
  const { values, out, signal } = context;
  const server = serverToAsk(readOrExplain(values));
  const verified: Verified[] = [];
  const archives = (await selectArchives(context)).filter(({ state }) => state === 'stored');
  for (const archive of archives) {
    if (signal.aborted) return 130;
    out.progress(`${verified.length + 1} of ${archives.length}`);
    const here = await checkCopy(archive);
    const there = await checkOnServer(archive, server, signal).catch(() => null);
    const isAgain = server !== null && there?.state === 'lacking' && here === 'intact';
    // What the server lost, this machine still has: the next upload brings it there again.
    if (isAgain) {
      const servers = forgetServer(archive, server.url);
      await noteUpload(configFolderFor(values), archive.id, 'pending', { servers });
    }
    const fault = faultOf(archive, here, there);
    const next = isAgain ? `${fault}; barograph archives upload hands it over again` : fault;
    verified.push({ archive, here, server: there, fault: next });
  }
  out.progress(null);
  const faults = verified.filter(({ fault }) => fault !== null);
  if (values.json === true) {
    const rows = verified.map(({ archive, ...checks }) => ({ id: archive.id, ...checks }));
    out.line(JSON.stringify(rows, null, 2));
    return faults.length > 0 ? 1 : 0;
  }
  for (const { archive, fault } of faults) out.problem(`${nameOf(archive)}: ${fault}`);
  const count = (test: (row: Verified) => boolean) => verified.filter(test).length;
  out.line(
    `${formatCount(verified.length, 'archive')}: ${count(({ here }) => here === 'intact')} intact here, ` +
      `${count((row) => row.server?.state === 'stored')} whole on the server, ${formatCount(faults.length, 'fault')}.`,
  );
  return faults.length > 0 ? 1 : 0;
}

function faultOf(archive: ListedArchive, here: LocalCheck, server: ServerCheck | null): string | null {
  if (server !== null && server.state !== 'stored') {
    const what = server.state === 'lacking' ? 'the server does not have it' : 'the server could not be asked';
    return `${what}: ${server.reason}`;
  }
  // The client may delete its transcripts; what the server has of them stays.
  const isSafe = server?.state === 'stored' && archive.asOf === 'completed';
  if (here === 'intact' || here === 'pruned' || isSafe) return null;
  const texts = {
    changed: 'it is no longer what was archived',
    missing: 'its file is gone',
    unreadable: 'its file cannot be read',
  };
  return `${texts[here]}: ${archive.archive ?? archive.source ?? ''}`;
}

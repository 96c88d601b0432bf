import { noteUpload } from '../../archive/archive-index';
import { ProjectClients } from '../../transcripts/project-clients';
import { forgetRefusals } from '../../upload/upload-state';
import { prepareHandOver } from '../archive-hand-over';
import { type CommandContext, numberValue, UsageError } from '../command';
import { configFolderFor, settingsFor } from '../connection';
import { areWhole, printArchives, uploadArchives } from '../upload-archives';
import { selectArchives } from './select-archives';

function hasFewer(some: object, all: object | undefined): boolean {
  return Object.keys(some).length < Object.keys(all ?? {}).length;
}

const CLOSE_MS = 3_000;

export async function uploadCommand(context: CommandContext): Promise<number> {
  const { values, out, signal } = context;
  const patienceMs = 1000 * (numberValue(values, 'timeout-seconds', 0, 86_400) ?? 60);
  const settings = settingsFor(values);
  const handOver = prepareHandOver(settings, () => configFolderFor(values));
  if (!handOver.allowed) throw new UsageError(`Nothing is handed over: ${handOver.reason}.`);
  const archives = await selectArchives(context);
  if (values.again === true) {
    for (const archive of archives) {
      const servers = forgetRefusals(archive);
      const isRefused = archive.upload === 'refused' || hasFewer(servers, archive.servers);
      if (archive.state !== 'stored' || !isRefused) continue;
      const upload = archive.upload === 'refused' ? 'pending' : archive.upload;
      await noteUpload(handOver.configFolder, archive.id, upload, { servers });
    }
  }
  const wanted = new Set(archives.map(({ id }) => id));
  const clients = new ProjectClients({ settings, runner: 'claude-code' });
  const summary = await uploadArchives(handOver.upload, clients, context, patienceMs, ({ id }) =>
    wanted.has(id),
  );
  await clients.close(CLOSE_MS);
  if (summary === null || signal.aborted) return 130;
  if (summary.stored + summary.refused + summary.waiting === 0) out.line('Nothing is pending.');
  printArchives(out, summary);
  return areWhole(summary) && !summary.isUnsupported ? 0 : 1;
}

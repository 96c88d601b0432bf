import { noteUpload } from '../../archive/archive-index';
import { ProjectClients } from '../../transcripts/project-clients';
import { prepareHandOver } from '../archive-hand-over';
import { type CommandContext, numberValue, UsageError } from '../command';
import { configFolderFor, settingsFor } from '../connection';
import { areWhole, printArchives, uploadArchives } from '../upload-archives';
import { selectArchives } from './select-archives';

const CLOSE_MS = 3_000;

export async function uploadCommand(context: CommandContext): Promise<number> {
  const { values, out, signal } = context;
  const patienceMs = 1000 * (numberValue(values, 'timeout-seconds', 0, 86_400) ?? 60);
  const settings = settingsFor(values);
  const handOver = prepareHandOver(settings, () => configFolderFor(values));
  if (!handOver.allowed) throw new UsageError(`Nothing is handed over: ${handOver.reason}.`);
  const archives = await selectArchives(context);
  if (values.again === true) {
    const refused = archives.filter(({ state, upload }) => state === 'stored' && upload === 'refused');
    for (const { id } of refused) await noteUpload(handOver.configFolder, id, 'pending');
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

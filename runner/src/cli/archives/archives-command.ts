import { type ArchiveIndex, noteUpload } from '../../archive/archive-index';
import { filterArchives, type ListedArchive, recoverIndex } from '../../archive/list-archives';
import { ProjectClients } from '../../transcripts/project-clients';
import {
  CONFIG_OPTION,
  type Command,
  type CommandContext,
  numberValue,
  TRANSCRIPT_OPTIONS,
  textValue,
  UsageError,
} from '../command';
import { configFolderFor, settingsFor } from '../connection';
import { describeDamage, isComplete, prepareUpload, printArchives, uploadArchives } from '../upload-archives';
import { pruneCommand, verifyCommand } from './check-archives';
import { listCommand } from './list-archives';

type Action = (
  context: CommandContext,
  archives: readonly ListedArchive[],
  index: ArchiveIndex,
) => number | Promise<number>;

/** Each action, with the options that only some actions accept. */
const ACTIONS: Readonly<Record<string, { run: Action; own: readonly string[] }>> = {
  list: { run: listCommand, own: ['json'] },
  upload: { run: uploadCommand, own: ['again', 'timeout-seconds'] },
  verify: { run: verifyCommand, own: [] },
  prune: { run: pruneCommand, own: ['older-than', 'uploaded', 'yes', 'force'] },
};

const CLOSE_MS = 3_000;

export const archivesCommand: Command = {
  name: 'archives',
  summary: 'list, upload, verify and prune archived transcripts',
  usage: 'barograph archives [list|upload|verify|prune] [OPTIONS]',
  details: `  list     list the archives of this machine, newest first, with skipped and failed ones (default)
  upload   upload pending archives and resume interrupted uploads; --again includes refused archives
  verify   compare each copy with its hash, and check each uploaded archive on the server; report damage of the index
           as faults, once
  prune    list the copies that match --older-than, --uploaded or both; --yes removes these copies. Without --force,
           prune keeps copies that changed or are not complete on the server

Exit code: 0 no problem, 1 a problem, 2 wrong usage, 130 interrupted.`,
  options: {
    json: { type: 'boolean', help: 'list: print a JSON array' },
    session: { type: 'string', value: 'KEY', help: 'only this session: its key, or the client’s own id' },
    again: { type: 'boolean', help: 'upload: include refused archives' },
    'older-than': { type: 'string', value: 'DAYS', help: 'prune: copies older than this many days' },
    uploaded: { type: 'boolean', help: 'prune: copies of uploaded archives' },
    yes: { type: 'boolean', help: 'prune: remove the listed copies' },
    force: { type: 'boolean', help: 'prune: also copies that changed or that no server has' },
    'timeout-seconds': { type: 'string', value: 'N', help: 'upload: time to retry a step (default 60)' },
    ...CONFIG_OPTION,
    ...TRANSCRIPT_OPTIONS,
  },
  positionals: { least: 0, most: 1 },
  async run(context) {
    const { values } = context;
    const [name = 'list'] = context.positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) {
      throw new UsageError(`barograph archives takes ${Object.keys(ACTIONS).join(', ')}, not "${name}".`);
    }
    for (const option of Object.keys(values)) {
      const owners = Object.keys(ACTIONS).filter((owner) => ACTIONS[owner]?.own.includes(option));
      if (owners.length === 0 || owners.includes(name)) continue;
      throw new UsageError(`--${option} belongs to barograph archives ${owners.join(' and ')}.`);
    }
    const session = textValue(values, 'session');
    const index = await recoverIndex(configFolderFor(values));
    const archives = await filterArchives(index, session === undefined ? {} : { session });
    const damage = describeDamage(index);
    if (damage !== null) context.out.problem(`The index of archives is damaged: ${damage}.`);
    return action.run(context, archives, index);
  },
};

async function uploadCommand(context: CommandContext, archives: readonly ListedArchive[]): Promise<number> {
  const { values, out, signal } = context;
  const patienceMs = 1000 * (numberValue(values, 'timeout-seconds', 0, 86_400) ?? 60);
  const settings = settingsFor(values);
  const prepared = prepareUpload(settings, context);
  if (!prepared.allowed) throw new UsageError(`Nothing is uploaded: ${prepared.reason}.`);
  const { upload } = prepared;
  if (values.again === true) {
    for (const archive of archives) {
      const notes = [archive, ...Object.values(archive.servers ?? {})];
      const isRefused = archive.state === 'stored' && notes.some((note) => note.upload === 'refused');
      if (isRefused) await noteUpload(upload.configFolder, archive.id, 'pending', { servers: {} });
    }
  }
  const wanted = new Set(archives.map(({ id }) => id));
  const clients = new ProjectClients({ settings });
  const summary = await uploadArchives(
    { ...upload, isWanted: ({ id }) => wanted.has(id) },
    clients,
    context,
    patienceMs,
  );
  await clients.close(CLOSE_MS);
  if (summary === null || signal.aborted) return 130;
  if (summary.stored + summary.refused + summary.waiting === 0) out.line('Nothing is pending.');
  printArchives(out, summary);
  return isComplete(summary) ? 0 : 1;
}

import { readArchiveIndex } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import type { RunnerSettings } from '../settings';
import { uploadPermission } from '../upload/upload-permission';
import type { Finding } from './finding';
import { formatCount } from './output';

/** What `barograph doctor` says of archives: how many there are, and who may get them. */
export async function examineArchives(
  settings: RunnerSettings,
  configFolder: () => string,
): Promise<Finding> {
  const topic = 'archives';
  let entries: ArchiveEntry[];
  try {
    ({ entries } = await readArchiveIndex(configFolder()));
  } catch (error) {
    const text = `the index cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { state: 'wrong', topic, text, remedy: 'Nothing can be archived until it can.' };
  }
  const stored = entries.filter(({ state }) => state === 'stored');
  const pending = stored.filter(({ upload }) => upload === 'pending');
  const waiting = pending.length > 0 ? `, ${pending.length} not handed over yet` : '';
  const amount = `${formatCount(stored.length, 'archive')}${waiting}`;
  const permission = uploadPermission(settings);
  if (!permission.allowed) {
    return {
      state: 'note',
      topic,
      text: `${amount}; they stay on this machine: ${permission.reason}`,
      ...(settings.uploadArchives === 'local' && settings.content && settings.url !== null
        ? { remedy: 'To hand whole conversations over to that server, set BAROGRAPH_UPLOAD_ARCHIVES=on.' }
        : {}),
    };
  }
  const where = permission.isLocal
    ? 'the server on this machine gets them'
    : 'this server gets them, wherever it is';
  const reason = pending.find(({ uploadReason }) => uploadReason)?.uploadReason;
  const text = `${amount}; ${where}`;
  if (reason === undefined || reason === null) return { state: 'ok', topic, text };
  return { state: 'note', topic, text: `${text}; last time: ${reason}` };
}

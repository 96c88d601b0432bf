/** How far an archive is on its way to one server, and how that is noted. */
import { stat } from 'node:fs/promises';
import type { ArchiveEntry, ArchiveNote, ServerNote, UploadState } from '../archive/archive-types';
import { contentPath } from './content-path';

/**
 * @param server id of the server; null: it does not say who it is, and is taken for the one there ever was.
 * @returns `pending` also for an archive that another server has, and for one that was handed over before servers were
 *   told apart.
 */
export function uploadStateAt(entry: ArchiveEntry, server: string | null): UploadState {
  if (entry.state !== 'stored' || entry.upload === 'none') return 'none';
  if (server === null) return entry.upload;
  const noted = entry.servers?.[server];
  if (noted !== undefined) return noted.upload;
  if (entry.upload !== 'refused') return 'pending';
  // What another server refused this one may take; what cannot be read is gone for all of them.
  return isRefusedBySome(entry) ? 'pending' : 'refused';
}

/** Whether it is to be handed over to that server now. What another one has is left where this machine has it no more. */
export async function isWantedAt(entry: ArchiveEntry, server: string | null): Promise<boolean> {
  if (uploadStateAt(entry, server) !== 'pending') return false;
  return entry.upload !== 'done' || isFile(contentPath(entry));
}

/** What is to be noted of an archive that came to its end at a server. */
export function endAt(
  entry: ArchiveEntry,
  server: string | null,
  note: Omit<ServerNote, 'at'>,
  now: number,
): ArchiveNote & { upload: UploadState } {
  const at = new Date(now).toISOString();
  const servers = server === null ? {} : { servers: { ...entry.servers, [server]: { ...note, at } } };
  // One server that will not have it takes nothing from another that has.
  const upload = note.upload === 'refused' && entry.upload === 'done' ? 'done' : note.upload;
  return { upload, ...servers };
}

/** Without the refusals, so that each server is asked anew. */
export function forgetRefusals({ servers = {} }: ArchiveEntry): NonNullable<ArchiveEntry['servers']> {
  return Object.fromEntries(Object.entries(servers).filter(([, { upload }]) => upload === 'done'));
}

/** Without what a server at that address is noted to have: it was asked, and has it no more. */
export function forgetServer(
  { servers = {} }: ArchiveEntry,
  url: string,
): NonNullable<ArchiveEntry['servers']> {
  return Object.fromEntries(Object.entries(servers).filter(([, note]) => note.url !== url));
}

function isRefusedBySome({ servers = {} }: ArchiveEntry): boolean {
  return Object.values(servers).some(({ upload }) => upload === 'refused');
}

async function isFile(path: string | null): Promise<boolean> {
  const info = path === null ? null : await stat(path).catch(() => null);
  return info?.isFile() === true;
}

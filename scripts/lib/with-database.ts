import { mkdirSync } from 'node:fs';
import { readLockHolder, takeOwnerLock } from '../../db/embedded/owner-lock';
import { findRunningEmbedded, startEmbedded } from '../../db/embedded/start-embedded';
import { findPooler } from '../../db/find-pooler';
import { readSettings } from '../../server/settings';
import { projectFolder } from './project-folder';

interface DatabaseUse {
  /** For messages: "The token command". */
  what: string;
  /** Refuse while a server uses the embedded database. */
  alone?: boolean;
}

/** Use DATABASE_URL or the running server's database. Otherwise start the embedded database for this command. */
export async function withDatabase<T>(
  { what, alone = false }: DatabaseUse,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const { databaseUrl, databaseDirectUrl, databaseOwnerUrl, dataFolder } = readSettings(projectFolder);
  if (databaseUrl !== null) {
    const url = databaseOwnerUrl ?? databaseDirectUrl ?? databaseUrl;
    await findPooler(url);
    return work(url);
  }
  if (readLockHolder(dataFolder)) {
    if (alone) throw new Error('A server uses this data folder. Stop it first.');
    const url = findRunningEmbedded(dataFolder);
    if (url !== null) return work(url);
    throw new Error('A server is starting or stopping on this data folder. Try again in a moment.');
  }
  mkdirSync(dataFolder, { recursive: true });
  const claim = takeOwnerLock(dataFolder, what, '');
  if (!claim.taken) throw new Error(`${claim.holder.what} has just started on this data folder. Try again.`);
  try {
    const embedded = await startEmbedded({ folder: dataFolder });
    try {
      return await work(embedded.url);
    } finally {
      await embedded.stop();
    }
  } finally {
    claim.lock.release();
  }
}

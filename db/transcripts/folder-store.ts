import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ObjectStore } from './object-store';

export const folderStore: ObjectStore = {
  async put(address, data) {
    const path = fileURLToPath(address);
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await sync(path, data);
    await sync(folder);
    await sync(dirname(folder));
  },
  async get(address) {
    try {
      return await readFile(fileURLToPath(address));
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return null;
      throw error;
    }
  },
  remove: (address) => rm(fileURLToPath(address), { force: true }),
};

/** Write a file, or only bring a folder's entries to the disk. */
async function sync(path: string, data?: Buffer): Promise<void> {
  const file = await open(path, data ? 'w' : 'r', 0o600);
  try {
    if (data) await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

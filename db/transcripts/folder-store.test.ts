import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { folderStore } from './folder-store';

const folder = await mkdtemp(join(tmpdir(), 'barograph-folder-store-'));
afterAll(() => rm(folder, { recursive: true }));
const at = (name: string) => `${pathToFileURL(folder).href}/${name}`;

it('stores, returns and removes objects, in files that only their owner reads', async () => {
  const address = at('new/7/chunk');
  const data = Buffer.from([0, 255, 10]);
  expect(await folderStore.get(address)).toBeNull();
  await folderStore.put(address, data);
  expect(await folderStore.get(address)).toEqual(data);
  expect((await stat(fileURLToPath(address))).mode & 0o777).toBe(0o600);
  await folderStore.remove(address);
  await folderStore.remove(address);
  expect(await readdir(join(folder, 'new', '7'))).toEqual([]);
});

it('throws for a path that cannot be read or written, which is no missing object', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(folderStore.get(at('file/7/chunk'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(folderStore.put(at('file/7/chunk'), Buffer.alloc(1))).rejects.toThrow();
});

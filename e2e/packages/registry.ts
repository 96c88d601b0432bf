/** A package registry on loopback that serves the packed packages and every package installed in this checkout. */
import { execFile } from 'node:child_process';
import { createReadStream, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '@/scripts/lib/project-folder';

const run = promisify(execFile);

/** @param folder holds the packed packages `barograph*.tgz`; archives of other packages are added. */
export async function startRegistry(folder: string): Promise<{ url: string; stop(): void }> {
  const tarballs = new Map<string, Promise<string>>();
  const packed = new Map<string, object>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
    const path = join(folder, file);
    const { stdout } = await run('tar', ['-xzOf', path, 'package/package.json']);
    const manifest = JSON.parse(stdout) as { name: string };
    packed.set(manifest.name, manifest);
    tarballs.set(manifest.name, Promise.resolve(path));
  }

  /** npm expects an archive of a folder with the name `package`, so a link gives the package's folder this name. */
  async function archive(name: string): Promise<string> {
    const place = join(folder, name.replace('/', '+'));
    mkdirSync(place);
    symlinkSync(join(projectFolder, 'node_modules', name), join(place, 'package'));
    await run('tar', ['-chf', `${place}.tar`, '-C', place, 'package']);
    return `${place}.tar`;
  }

  function describe(name: string): object {
    const path = join(projectFolder, 'node_modules', name, 'package.json');
    const manifest = packed.get(name) ?? JSON.parse(readFileSync(path, 'utf8'));
    const { version } = manifest as { version: string };
    const dist = { tarball: `${url}/-/${name}` };
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }

  async function answer({ url: path = '' }: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, isTarball, name = ''] = /^\/(-\/)?(.*)$/.exec(decodeURIComponent(path)) ?? [];
    try {
      if (isTarball === undefined) {
        res.setHeader('content-type', 'application/json').end(JSON.stringify(describe(name)));
        return;
      }
      if (!tarballs.has(name)) tarballs.set(name, archive(name));
      createReadStream((await tarballs.get(name)) ?? '').pipe(res);
    } catch {
      res.writeHead(404).end('{}');
    }
  }

  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

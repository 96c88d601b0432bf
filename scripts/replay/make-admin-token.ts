import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectFolder } from '../lib/project-folder';

/** A token of scope `admin` of the server with that data folder, as its operator makes one. */
export function makeAdminToken(dataFolder: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      join(projectFolder, 'scripts/manage-tokens.ts'),
      '--name',
      'replay',
      '--scope',
      'admin',
    ],
    {
      cwd: projectFolder,
      encoding: 'utf8',
      env: {
        NODE_ENV: 'production',
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        BAROGRAPH_DATA_DIR: dataFolder,
      },
    },
  );
  const token = stdout.trim();
  if (status !== 0 || token === '') throw new Error(`No token was made: ${stdout}${stderr}`);
  return token;
}

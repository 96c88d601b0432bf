/** `npm run pack -- FOLDER` packs both packages, `barograph` and `barograph-server`, into an existing folder. */
import { join, resolve } from 'node:path';
import { packFolder, packServer } from './lib/pack-server';
import { projectFolder } from './lib/project-folder';

const [folder = '.'] = process.argv.slice(2);
packFolder(join(projectFolder, 'runner'), resolve(folder));
packServer(resolve(folder));

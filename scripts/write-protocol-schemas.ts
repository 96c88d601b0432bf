/** Writes core/protocol/schema/*.json from the zod schemas: `npm run protocol-schemas`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildJsonSchemas } from '../core/protocol/build-json-schemas';
import { projectFolder } from './lib/project-folder';

const folder = join(projectFolder, 'core', 'protocol', 'schema');
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(buildJsonSchemas()))
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);

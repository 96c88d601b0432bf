/**
 * Writes core/protocol/schema/*.json from the zod schemas; with --check it only compares, and fails where a
 * file is not what the schemas give.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJsonSchemas } from '../core/protocol/build-json-schemas';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../core/protocol/schema');
const check = process.argv.includes('--check');
const stale: string[] = [];

mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(buildJsonSchemas())) {
  const file = path.join(folder, name);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (!check) writeFileSync(file, text);
  else if (read(file) !== text) stale.push(name);
}
if (stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run: npm run protocol-schemas`);
  process.exitCode = 1;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

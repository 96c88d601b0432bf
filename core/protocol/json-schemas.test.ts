import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildJsonSchemas } from './build-json-schemas';

test.each(Object.entries(buildJsonSchemas()))('%s equals the generated schema', (name, schema) => {
  const file = readFileSync(new URL(`schema/${name}`, import.meta.url), 'utf8');
  expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(schema)));
});

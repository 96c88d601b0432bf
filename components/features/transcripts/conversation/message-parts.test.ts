import { expect, it } from 'vitest';
import { labelWords } from './message-parts';

it.each([
  ['/home/dev/work/harbour/server/ingest/tide.ts', '…/server/ingest/tide.ts'],
  ['C:\\work\\harbour\\server\\ingest\\tide.ts', '…/server/ingest/tide.ts'],
  ['/srv/harbour/tide.ts', '/srv/harbour/tide.ts'],
  ['server/ingest/deep/down/tide.ts', 'server/ingest/deep/down/tide.ts'],
  ['/usr/bin/env node --test /a/b/c/d/e.ts', '/usr/bin/env node --test /a/b/c/d/e.ts'],
  ['', ''],
])('shortens the subject of a tool call from %s to %s', (label, short) => {
  expect(labelWords(label)).toBe(short);
});

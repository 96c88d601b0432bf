import { describe, expect, it } from 'vitest';
import { labelWords } from './label-words';

describe('What a tool call is about, on one line', () => {
  it.each([
    ['/home/dev/work/harbour/server/ingest/tide.ts', '…/server/ingest/tide.ts'],
    ['C:\\work\\harbour\\server\\ingest\\tide.ts', '…/server/ingest/tide.ts'],
    ['/srv/harbour/tide.ts', '/srv/harbour/tide.ts'],
    ['server/ingest/deep/down/tide.ts', 'server/ingest/deep/down/tide.ts'],
    ['/usr/bin/env node --test /a/b/c/d/e.ts', '/usr/bin/env node --test /a/b/c/d/e.ts'],
    ['', ''],
  ])('shortens %s to %s', (label, short) => {
    expect(labelWords(label)).toBe(short);
  });
});

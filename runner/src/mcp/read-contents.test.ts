import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createContentsReader } from './read-contents';

it('takes the title from the first line that a person typed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-contents-'));
  const path = join(folder, 'a.jsonl');
  const said = (text: string) =>
    `${JSON.stringify({ type: 'user', sessionId: 'a', message: { role: 'user', content: text } })}\n`;
  const context = '<ide_opened_file>tide.ts</ide_opened_file>';
  writeFileSync(path, said(context) + said(`${context}\n\u202erename it\nnow`));
  expect((await createContentsReader()(path)).title).toBe('rename it');
  rmSync(folder, { recursive: true });
});

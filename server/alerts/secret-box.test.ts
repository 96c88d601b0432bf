import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSecretBox, openSecretBox } from './secret-box';

const folder = mkdtempSync(join(tmpdir(), 'secret-box-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SECRET = { password: 'pässword', token: '' };

test('seals each value differently, opens it, and opens values of an earlier version', () => {
  const box = createSecretBox(randomBytes(32));
  const [first, second] = [box.seal(SECRET), box.seal(SECRET)];
  expect(JSON.stringify([first, second])).not.toContain('pässword');
  expect(first.password).not.toBe(second.password);
  expect(first.token).toBe('');
  expect([box.open(first), box.open(second), box.open(SECRET)]).toEqual([SECRET, SECRET, SECRET]);
});

test('refuses a value of another key, or one that was changed', () => {
  const box = createSecretBox(randomBytes(32));
  const sealed = box.seal(SECRET);
  expect(() => createSecretBox(randomBytes(32)).open(sealed)).toThrow();
  const changed = `${sealed.password?.slice(0, 20)}${sealed.password?.[20] === 'A' ? 'B' : 'A'}${sealed.password?.slice(21)}`;
  expect(() => box.open({ password: changed })).toThrow();
});

test('keeps its key in a private file, unless a setting gives one', () => {
  const sealed = openSecretBox(folder, null).seal(SECRET);
  const file = join(folder, 'alert-secrets.key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(openSecretBox(folder, null).open(sealed)).toEqual(SECRET);
  expect(openSecretBox('/nowhere', readFileSync(file, 'utf8').trim()).open(sealed)).toEqual(SECRET);
  writeFileSync(file, 'lost');
  expect(() => openSecretBox(folder, null)).toThrow('64 hexadecimal digits');
});

import { describe, expect, test } from 'vitest';
import vectors from '../../../core/vectors/archive-name.json';
import { copyIdOf, extensionOf, repoKey, sessionName, timestampOf } from './archive-names';
import { readHookInput } from './read-hook-input';

interface NameCase {
  name: string;
  given: { kind: string; sessionId?: unknown; path?: string; repo?: string; sha256?: string };
  expect: { equals?: string; safe?: boolean };
}

const cases = vectors.cases as NameCase[];
const safeSession = new RegExp(`^(?!\\.)[A-Za-z0-9._-]{1,${vectors.maxSessionLength}}$`);
const safeExtension = /^\.[A-Za-z0-9._~+-]{1,31}$/;

function nameOf({ kind, sessionId, path = '', repo = '', sha256 = '' }: NameCase['given']): string {
  if (kind === 'session') return sessionName(readHookInput({ session_id: sessionId }).sessionId);
  if (kind === 'copy') return copyIdOf(repo, path, sha256);
  return kind === 'repo' ? repoKey(path) : extensionOf(path);
}

describe('vectors of archive names', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, { given, expect: expected }) => {
    const name = nameOf(given);
    if (expected.equals !== undefined) expect(name).toBe(expected.equals);
    else expect(name).toMatch(given.kind === 'session' ? safeSession : safeExtension);
  });

  test('a whole name has session, time and extension', () => {
    const pattern = vectors.archiveName.replace('<session>', 'abc-1').replace('<extension>', '\\.jsonl');
    expect(`abc-1_${timestampOf(1_767_614_400_000)}_transcript.jsonl`).toMatch(new RegExp(pattern));
  });
});

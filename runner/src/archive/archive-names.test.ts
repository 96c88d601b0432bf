import { sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { extensionOf, repoKey, sessionName, timestampOf } from './archive-names';

describe('the session’s part of an archive’s name', () => {
  it('is the id itself if every file system accepts that id', () => {
    const id = '33333333-3333-4333-8333-333333333333';
    expect(sessionName(id)).toBe(id);
    expect(sessionName('ticket_4711.b')).toBe('ticket_4711.b');
  });

  it('is safe for any text, and different for different texts', () => {
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (id) => {
        const name = sessionName(id);
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,139}$/);
        expect(seen.get(name) ?? id).toBe(id);
        seen.set(name, id);
      }),
      { numRuns: 2_000 },
    );
    expect(sessionName('a/b')).not.toBe(sessionName('a-b'));
    expect(sessionName('x'.repeat(200))).not.toBe(sessionName('x'.repeat(201)));
  });
});

describe('the folder of a repository', () => {
  it('is its absolute path with dashes for slashes, and a short hash', () => {
    expect(repoKey('/home/cyou/mala')).toMatch(/^-home-cyou-mala-[0-9a-f]{8}$/);
    expect(repoKey('/home/cyou/mala/')).toBe(repoKey('/home/cyou/mala'));
    expect(repoKey('/home/cyou/x/../mala')).toBe(repoKey('/home/cyou/mala'));
    expect(repoKey('.')).toBe(repoKey(process.cwd()));
  });

  it('differs between /a-b and /a/b', () => {
    expect(repoKey('/a-b')).not.toBe(repoKey('/a/b'));
    expect(repoKey('/a-b').slice(0, -9)).toBe(repoKey('/a/b').slice(0, -9));
  });

  it('fits a file name for any path length, and keeps the end of the path', () => {
    const key = repoKey(`/${'ü'.repeat(400)}/the-project`);
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(200);
    expect(key).toMatch(/-the-project-[0-9a-f]{8}$/);
  });

  it('never leaves the parent folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        const key = repoKey(path);
        expect(key).not.toContain(sep);
        expect(key).not.toContain('\u0000');
        expect(key).toMatch(/[0-9a-f]{8}$/);
      }),
    );
  });
});

describe('an archive’s name', () => {
  it('contains the UTC second of the hook', () => {
    expect(timestampOf(Date.UTC(2026, 10, 22, 1, 54, 12, 999))).toBe('20261122_015412');
  });

  it.each([
    ['/t/session.jsonl', '.jsonl'],
    ['/t/notes.md', '.md'],
    ['/t/a.tar.gz', '.gz'],
    ['/t/transcript', '.txt'],
    ['/t.d/transcript', '.txt'],
    ['/t/.hidden', '.txt'],
    ['/t/dot.', '.txt'],
    ['/t/a.j s\nl', '.j_s_l'],
  ])('keeps the extension of %j as %s, with .txt for none', (path, extension) => {
    expect(extensionOf(path)).toBe(extension);
  });
});

import { describe, expect, it } from 'vitest';
import { hookRole, workerArguments } from './answer-hook';

const roleOf = (line: string, hasParent = false) => hookRole(line.split(' ').filter(Boolean), hasParent);

describe('a call of the command', () => {
  it('is the hook if it starts with hook, or with options before hook', () => {
    for (const line of ['hook', 'hook --foo', 'hook surplus', '--no-content hook', '-x hook --bar']) {
      expect([line, roleOf(line)]).toEqual([line, 'answer']);
    }
  });

  it('is a request for help with --help', () => {
    expect(['hook --help', 'hook --foo -h'].map((line) => roleOf(line))).toEqual(['text', 'text']);
  });

  it('is the worker only with a listening parent', () => {
    const args = workerArguments(['--url', 'x', 'hook', '--foo'], 7);
    expect(args).toEqual(['hook', '--work', '7', '--url', 'x', '--foo']);
    expect(hookRole(args, true)).toBe('work');
    expect(hookRole(args, false)).toBe('answer');
    expect(hookRole(workerArguments(['hook', '--work'], 7), true)).toBe('work');
  });

  it('is another command otherwise', () => {
    for (const line of ['', 'help hook', 'import hook', 'watch', '--help', '--version']) {
      expect([line, roleOf(line, true)]).toEqual([line, 'none']);
    }
  });
});

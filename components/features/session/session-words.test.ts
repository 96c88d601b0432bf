import { describe, expect, it } from 'vitest';
import { sessionOf } from '../../format/testing/session-fixture';
import { resumeCommand, shortFolder, unknownReason } from './session-words';

describe('resumeCommand', () => {
  it('names the newest id of a Claude Code session', () => {
    expect(resumeCommand(sessionOf({ clientSessionIds: ['old-1', 'new-2'] }))).toBe('claude --resume new-2');
  });
  it('opens each client’s session as that client does', () => {
    const of = (client: string) => resumeCommand(sessionOf({ client, clientSessionIds: ['0199-a'] }));
    expect(of('codex')).toBe('codex resume 0199-a');
    expect(of('gemini')).toBe('gemini --resume 0199-a');
    expect(of('constructor')).toBeNull();
  });
  it('never puts an id into a command that a shell would read otherwise', () => {
    for (const id of ['x; rm -rf ~', '$(id)', '-h', 'a b', 'a\nb', '']) {
      expect(resumeCommand(sessionOf({ clientSessionIds: [id] }))).toBeNull();
    }
  });
  it('is silent about clients whose command is not known, and without an id', () => {
    expect(resumeCommand(sessionOf({ client: 'my-agent' }))).toBeNull();
    expect(resumeCommand(sessionOf({ clientSessionIds: [] }))).toBeNull();
  });
});

describe('unknownReason', () => {
  it('says since when, and names the last known value', () => {
    expect(unknownReason(sessionOf({ lastKnownUsed: 167_000 }), 'compaction')).toBe(
      'since the compaction; last known 167\u00a0k',
    );
    expect(unknownReason(sessionOf({ lastKnownUsed: null }), null)).toBe('no reading yet');
  });
});

describe('shortFolder', () => {
  it('shortens the home and keeps what distinguishes checkouts', () => {
    expect(shortFolder('/Users/soph/devenv/cli')).toBe('~/devenv/cli');
    expect(shortFolder('/srv/builds/2026/agents/worktree-7')).toBe('…/agents/worktree-7');
  });
});

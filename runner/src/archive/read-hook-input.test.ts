import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { readHookInput } from './read-hook-input';

const nothing = {
  event: null,
  sessionId: 'unknown',
  transcriptPath: null,
  trigger: 'unknown',
  cause: null,
  cwd: null,
  agentId: null,
};

function fixtures(name: string): Record<string, unknown>[] {
  const file = new URL(`../../fixtures/hooks/${name}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the input of a hook', () => {
  it.each([undefined, null, 42, 'text', true, [], {}, () => undefined, new Map(), Symbol('s'), 1n])(
    'counts as empty if it is %s',
    (input) => {
      expect(readHookInput(input)).toEqual(nothing);
    },
  );

  it('may have invalid or missing fields', () => {
    const input = { session_id: {}, transcript_path: 7n, trigger: null, cwd: '', agent_id: ' ' };
    expect(readHookInput(input)).toEqual(nothing);
    expect(readHookInput({ session_id: 4711 })).toMatchObject({ sessionId: '4711' });
  });

  it('may throw when a field is read', () => {
    const broken = {
      get session_id() {
        throw new Error('no');
      },
      trigger: 'auto',
    };
    expect(readHookInput(broken)).toEqual({ ...nothing, trigger: 'auto' });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(readHookInput(proxy)).toEqual(nothing);
  });

  it('has the same event name for every client, except for a hook that fires before every call', () => {
    const eventOf = (hook_event_name: string, trigger: string) =>
      readHookInput({ hook_event_name, trigger }).event;
    expect(eventOf('PreCompress', 'manual')).toBe('PreCompact');
    expect(eventOf('PreCompress', 'auto')).toBe('PreCompress');
    expect(eventOf('constructor', 'manual')).toBe('constructor');
  });

  it('is read without an error, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        expect(typeof readHookInput(input).sessionId).toBe('string');
      }),
    );
  });

  it.each([
    ['claude-code-2.1.330', ['manual', 'auto']],
    ['claude-agent-sdk-0.3.330', ['manual']],
    ['codex-0.169.0', ['auto']],
  ])('reads the real input of %s', (name, triggers) => {
    const inputs = fixtures(name).map(readHookInput);
    const compactions = inputs.filter(({ event }) => event === 'PreCompact');
    expect([...new Set(compactions.map(({ trigger }) => trigger))].sort()).toEqual([...triggers].sort());
    for (const { sessionId, transcriptPath, cwd } of compactions) {
      expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
      expect(transcriptPath).toMatch(/\.jsonl$/);
      expect(cwd).toBe('/home/dev/project');
    }
  });
});

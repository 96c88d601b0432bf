import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAnswer, prepareHook, runHook } from '../hook/testing/hook';
import { messageResult, removeOldMessages, spoolMessage } from './message-spool';
import { MessagePasser } from './pass-messages';

const used = prepareHook();
const FOLDER = '/home/dev/harbour';
const SESSION = '11111111-1111-4111-8111-111111111111';
const commandId = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const config = () => join(used.home.folder, '.config', 'barograph');

const recall = (...args: string[]) =>
  runHook(used.command, used.home, { args: ['recall', ...args], input: '' });
const hook = (event = 'PostToolUse', fields: object = {}) =>
  runHook(used.command, used.home, {
    args: ['warn-hook'],
    input: used.home.payload({ hook_event_name: event, session_id: SESSION, ...fields }),
  });
const spool = (number: number, text: string, expiresAt = Date.now() + 60_000) =>
  spoolMessage(config(), SESSION, { id: commandId(number), text, expiresAt });
const resultOf = (number: number) => messageResult(config(), SESSION, commandId(number));

describe('a message of an operator', () => {
  it('is in the answer of the next hook, once, with all that wait', async () => {
    expect((await recall('say', 'on', FOLDER)).stdout).toContain(`Operator messages are on in ${FOLDER}.`);
    spool(1, 'Use blue.');
    spool(2, 'Then stop.');
    expectAnswer(await hook('PostToolUse', { agent_id: 'a7' }));
    expectAnswer(await hook('PostToolUse', { session_id: SESSION.replace('1', '2') }));
    const answers = await Promise.all([hook('UserPromptSubmit'), hook('UserPromptSubmit')]);
    const contexts = answers.flatMap(({ stdout }) => JSON.parse(stdout).hookSpecificOutput ?? []);
    expect(
      contexts
        .map(({ additionalContext }) => additionalContext)
        .join('\n\n')
        .split('\n\n')
        .sort(),
    ).toEqual([
      'Message of the operator, sent with Barograph: Then stop.',
      'Message of the operator, sent with Barograph: Use blue.',
    ]);
    expect(contexts[0].hookEventName).toBe('UserPromptSubmit');
    expect([resultOf(1), resultOf(2)]).toEqual(['done', 'done']);
    spool(1, 'Use blue.');
    expectAnswer(await hook());
  });

  it('is refused where messages are off, which is the default, and dropped once it expired', async () => {
    spool(1, 'Use blue.');
    expectAnswer(await hook());
    expect(resultOf(1)).toBe('refused');
    await recall('say', 'on', FOLDER);
    spool(2, 'Too late.', Date.now() - 1);
    expectAnswer(await hook());
    expect(resultOf(2)).toBeNull();
    expect((await recall('say', 'loud')).code).toBe(2);
  });

  it('is not taken for a session with another kind of id, and leaves no files after a day', () => {
    expect(spoolMessage(config(), '../../etc', { id: commandId(1), text: 'x', expiresAt: 1 })).toBe(false);
    spool(1, 'Use blue.');
    removeOldMessages(config(), Date.now() + 25 * 60 * 60 * 1000);
    expect(readdirSync(join(config(), 'messages'))).toEqual([]);
  });

  it('is passed on by a watcher that restarts, and its result is reported', async () => {
    await recall('say', 'on', FOLDER);
    const reports: object[] = [];
    const client = { session: () => ({ command: (fields: object) => reports.push(fields) }) } as never;
    const settingsFile = join(used.home.folder, '.claude', 'settings.json');
    mkdirSync(join(used.home.folder, '.claude'), { recursive: true });
    const passer = () => {
      const options = { configFolder: config(), settingsFile, now: Date.now, lookMs: 1e6 };
      return new MessagePasser(options);
    };
    expect(passer().commandsOf('claude-code'), 'without the hook').toEqual([]);
    writeFileSync(settingsFile, '{"hooks":"BAROGRAPH_DATA_DIR=/d node barograph warn-hook || true"}');
    const [first, second] = [passer(), passer()];
    expect([first.commandsOf('claude-code'), first.commandsOf('codex')]).toEqual([['say'], []]);
    const command = {
      id: commandId(1),
      action: 'say',
      text: 'Use blue.',
      expiresAt: Date.now() + 60_000,
    } as const;
    first.take(client, `claude-code:${SESSION}`, { ...command, reason: undefined });
    first.stop();
    expect(reports).toEqual([]);
    await hook();
    second.take(client, SESSION, { ...command, reason: undefined });
    second.stop();
    expect(reports).toEqual([{ command: commandId(1), action: 'say', state: 'done' }]);
    expectAnswer(await hook());
  });
});

import { expect, it } from 'vitest';
import { createParser } from './claude-code/items';
import { humanText } from './human-text';

it.each([
  ['<button> on the quay page is cut off', '<button> on the quay page is cut off'],
  ['<div class="a">why is it blue?</div>', '<div class="a">why is it blue?</div>'],
  ['<ide_opened_file>tide.ts</ide_opened_file> rename it', 'rename it'],
  ['<system-reminder>a</system-reminder>\n<ide_selection>b</ide_selection>\nwhy?', 'why?'],
  ['<command-name>/review</command-name>\n<command-args>the quay</command-args>', '/review the quay'],
  ['# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\nfix it\n', 'fix it'],
])('takes the typed text of %j', (prompt, typed) => {
  expect(humanText(prompt)).toBe(typed);
});

it.each([
  ' \n',
  '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
  '<local-command-stdout>Set model</local-command-stdout>',
  '<bash-input>ls</bash-input><bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>',
  '<task-notification>\n<task-id>1</task-id>\n</task-notification>',
  '<environment_context>\n  <cwd>/srv</cwd>\n</environment_context>',
  '<permissions instructions>\nread\n</permissions instructions>',
  '<system-reminder>never closed',
  '[Request interrupted by user]',
])('finds no typed text in %j', (prompt) => {
  expect(humanText(prompt)).toBeNull();
});

it('reads many unclosed tags in linear time', () => {
  expect(humanText(`<bash-input>${'</bash-input'.repeat(500_000)}`)).toBeNull();
});

function titleOf(content: unknown) {
  const identity = { session: 'a', chain: null, folder: null, project: 'p', clientSessionId: null };
  const owners = { claim: (_: string, session: string) => session };
  const options = { content: true, announces: true, fallbackAt: 0, isFree: () => true };
  const parser = createParser({ identity, owners, ...options });
  parser.line(JSON.stringify({ type: 'user', message: { role: 'user', content } }));
  const [start] = parser.settle();
  return start?.type === 'session_start' ? start.title : null;
}

it('takes the title from the first block that a person typed', () => {
  const block = (text: string) => ({ type: 'text', text });
  expect(titleOf([block('<ide_opened_file>tide.ts</ide_opened_file>'), block('rename it')])).toBe(
    'rename it',
  );
  expect(titleOf('<button> is cut off')).toBe('<button> is cut off');
  expect(titleOf([block('<ide_selection>const ebb = 1;</ide_selection>')])).toBeUndefined();
});

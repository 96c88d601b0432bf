import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import {
  buildContinuationPrompt,
  buildMinimalPrompt,
  loadPrompt,
  PROMPT_NAMES,
  type PromptName,
  runWithRestarts,
} from './index';
import { say, scriptedAgent } from './testing/scripted-agent';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'barograph-prompts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(path.join(folder, `${name}.md`), text);

test('ships every prompt as a file', () => {
  for (const name of PROMPT_NAMES) expect(loadPrompt(name)).toMatch(/^[A-Z][^\n]+\n/);
});

test('the checkpoint prompt requests five parts in order in a checkpoint block, and then a stop', () => {
  const prompt = loadPrompt('checkpoint-request');
  const headings = [...prompt.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(headings).toEqual(['Goal', 'Completed Work', 'Remaining Tasks', 'Do Not Redo', 'Key Decisions']);
  expect(prompt).toMatch(/<checkpoint>[\s\S]*<\/checkpoint>/);
  expect(prompt.endsWith('After outputting this checkpoint, STOP.')).toBe(true);
});

test('the continuation prompt contains the checkpoint and asks for the remaining work', () => {
  const prompt = buildContinuationPrompt('## Goal\nShip it');
  expect(prompt).toContain('\n\n## Goal\nShip it\n\n');
  expect(prompt).toMatch(/Continue from the remaining tasks\. Do not repeat completed work\.$/);
  expect(prompt).not.toContain('{checkpoint}');
});

test('the minimal prompt contains the task and asks to continue previous work', () => {
  const prompt = buildMinimalPrompt('Fix the ledger');
  expect(prompt).toContain('\n\nFix the ledger\n\n');
  expect(prompt).toContain('continue previous work');
  expect(prompt).not.toMatch(/\{\w+\}/);
});

test('inserts values verbatim, even where they look like a placeholder', () => {
  const odd = "{checkpoint} {task} $& $1 $$ $` $' {{checkpoint}}";
  expect(buildContinuationPrompt(odd, 'A {checkpoint} B {checkpoint}')).toBe(`A ${odd} B ${odd}`);
  expect(buildMinimalPrompt(odd, '{task}')).toBe(odd);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(buildContinuationPrompt(text, '<{checkpoint}>')).toBe(`<${text}>`);
    }),
  );
});

test('the owner’s prompt file is used, or the package’s file if the owner has none', () => {
  write('checkpoint-request', '\uFEFF\n  Write down where you are.\r\n');
  expect(loadPrompt('checkpoint-request', folder)).toBe('Write down where you are.');
  expect(loadPrompt('continuation', folder)).toBe(loadPrompt('continuation'));
});

test('an invalid prompt is refused before the agent starts', async () => {
  write('continuation', 'Go on.');
  const agent = scriptedAgent({ contexts: [[say('done')]] });
  await expect(runWithRestarts({ agent, prompt: 'p', promptsFolder: folder })).rejects.toThrow(
    /continuation\.md has no \{checkpoint\}/,
  );
  expect(agent.log).toEqual([]);
  write('continuation', ' \n');
  expect(() => loadPrompt('continuation', folder)).toThrow(/continuation\.md is empty/);
  expect(() => loadPrompt('../continuation' as PromptName)).toThrow(RangeError);
});

test('refuses a folder that does not exist, by its name', async () => {
  const missing = path.join(folder, 'no-such-folder');
  expect(() => loadPrompt('continuation', missing)).toThrow(
    `The folder of prompts ${missing} does not exist`,
  );
});

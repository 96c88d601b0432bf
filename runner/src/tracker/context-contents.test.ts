import { expect, test } from 'vitest';
import { ContextContents } from './context-contents';

function filled(): ContextContents<{ role: string }> {
  const contents = new ContextContents<{ role: string }>();
  contents.add({ role: 'user' }, 10, true, 1);
  contents.add({ role: 'assistant' }, 20, false, 2);
  contents.add({ role: 'tool' }, 30, true, 3);
  return contents;
}

test('what is removed takes its tokens along, and its estimate where it was one', () => {
  const contents = filled();
  contents.remove(new Set([1]));
  expect([contents.entries.length, contents.tokens, contents.estimated]).toEqual([2, 40, 2]);
  contents.remove(new Set([0]));
  expect([contents.entries.length, contents.tokens, contents.estimated]).toEqual([1, 30, 1]);
});

test('a position at which nothing is removes nothing', () => {
  const contents = filled();
  contents.remove(new Set([3, 99]));
  expect([contents.entries.length, contents.tokens, contents.estimated]).toEqual([3, 60, 2]);
});

test('a sum beyond what a number holds exactly is refused, and nothing is added', () => {
  const contents = filled();
  expect(() => contents.add({ role: 'user' }, Number.MAX_SAFE_INTEGER - 59, false, 4)).toThrow(RangeError);
  expect([contents.entries.length, contents.tokens]).toEqual([3, 60]);
  contents.add({ role: 'user' }, Number.MAX_SAFE_INTEGER - 60, false, 4);
  expect(contents.tokens).toBe(Number.MAX_SAFE_INTEGER);
});

test('a cleared context holds nothing', () => {
  const contents = filled();
  contents.clear();
  expect([contents.entries.length, contents.tokens, contents.estimated]).toEqual([0, 0, 0]);
});

import { expect, test } from 'vitest';
import { isFields, listOf, textOf, unwrapMessage } from './message-fields';

test('a text says something, or it is none', () => {
  expect([textOf('a'), textOf(' '), textOf(''), textOf(null), textOf(7)]).toEqual([
    'a',
    ' ',
    null,
    null,
    null,
  ]);
});

test('a list holds the objects of a list, and of anything else none', () => {
  expect(listOf([{ a: 1 }, 'text', null, [1], { b: 2 }])).toEqual([{ a: 1 }, { b: 2 }]);
  expect([listOf({ 0: {} }), listOf('text'), listOf(undefined)]).toEqual([[], [], []]);
});

test('fields are an object’s, and neither a list’s nor null’s', () => {
  expect([isFields({}), isFields([]), isFields(null), isFields('a')]).toEqual([true, false, false, false]);
});

test('a wrapped message is taken out, a message with a role and a field of that name is not', () => {
  const inner = { role: 'user', content: 'hi' };
  expect(unwrapMessage({ type: 'user', message: inner })).toBe(inner);
  const own = { role: 'tool', message: { text: 'an error of the tool' } };
  expect(unwrapMessage(own)).toBe(own);
  const text = { type: 'error', message: 'no' };
  expect(unwrapMessage(text)).toBe(text);
});

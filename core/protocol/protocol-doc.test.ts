import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLOSE } from './close-codes';
import { itemSchema } from './items';
import { PROTOCOL_LIMITS } from './limits';
import { ERROR_CODES, GATE_CODES, REFUSAL_CODES } from './messages';
import { isHello, parseHello } from './parse-frame';
import { parseItem } from './parse-item';
import { parseServerMessage } from './parse-server-message';

const doc = readFileSync(new URL('../PROTOCOL.md', import.meta.url), 'utf8');
const examples = [...doc.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);
const typeOf = (text: string): string => JSON.parse(text).type;
const fromServer = ['welcome', 'ack', 'command', 'error'];

describe('the examples of PROTOCOL.md', () => {
  test.each(examples.map((text) => [typeOf(text), text]))(
    '%s is a message of this protocol',
    (type, text) => {
      const value = JSON.parse(text);
      if (isHello(value)) expect(parseHello(value)).toMatchObject({ ok: true });
      else if (fromServer.includes(type)) expect(parseServerMessage(text)).toEqual(value);
      // No field of an example is unknown: parsing returns the written value.
      else expect(parseItem(value)).toEqual({ ok: true, item: value });
    },
  );

  test('show every message', () => {
    expect([...new Set(examples.map(typeOf))].sort()).toEqual(
      [...itemSchema.options.map(({ shape }) => shape.type.value), ...fromServer, 'hello'].sort(),
    );
  });

  test('the curl command posts a valid batch', () => {
    const body = /-d '(\[[\s\S]*?\n\])'/.exec(doc)?.[1] ?? '';
    const values = JSON.parse(body.replace(/'"\$\(uuidgen\)"'/, '0f8fad5b-d9cb-469f-a165-70867728950e'));
    expect(parseHello(values[0])).toMatchObject({ ok: true });
    for (const value of values.slice(1)) expect(parseItem(value)).toEqual({ ok: true, item: value });
  });
});

describe('PROTOCOL.md names', () => {
  test.each([...REFUSAL_CODES, ...ERROR_CODES, ...GATE_CODES])('%s', (code) => {
    expect(doc).toContain(`\`${code}\``);
  });

  test.each(Object.entries(CLOSE))('close code %s', (_name, code) => {
    expect(doc).toMatch(new RegExp(`\\| ${code} \\|`));
  });

  test.each(Object.entries(PROTOCOL_LIMITS))('limit %s with its value', (name, value) => {
    const row = doc.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
    expect(Number.parseInt(row.split('|')[2]?.replaceAll(' ', '') ?? '', 10)).toBe(value);
  });
});

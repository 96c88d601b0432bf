import { describe, expect, it } from 'vitest';
import { fc } from '../testing/property-runs';
import { maskBytes } from './mask-bytes';
import { resolveEscapes } from './resolve-escapes';
import { createSecretScanner } from './secret-scanner';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Invented secrets in real formats, written in parts so that no scanner reports this file as a leak. */
const SECRETS: readonly (readonly [string, string])[] = [
  ['GitHub token', `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'}`],
  ['GitLab token', `glpat-${'xK3mN5pQ7rS9tU1vW3xY'}`],
  ['Stripe key', `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`],
  ['Google API key', `AIza${'SyD3f5G7h9J1k3L5m7N9p1Q3r5S7t9U1v3W'}`],
  ['AWS key', `AKIA${'2E4G6J7K3M5N7P2Q'}`],
  ['Anthropic key', `sk-ant-api03-${'aB3-dE5_gH7'.repeat(8)}AA`],
  [
    'JSON web token',
    `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0NTY3ODkwIn0'}.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9`,
  ],
  ['access token', 'Bearer a8Fk39dLs02kd93Jf8sLq1'],
  ['password', 'password = "tR7kq92LmXw4"'],
  ['database password', 'postgres://harbour:tR7kq92LmXw4@db.example.org:5432/tides'],
];
const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  ...Array.from({ length: 8 }, (_, i) => `MIIEpAIBAAKCAQEA${i}`.repeat(3)),
  '-----END RSA PRIVATE KEY-----',
].join('\n');

async function scan(text: string, chunk = Number.POSITIVE_INFINITY) {
  const scanner = createSecretScanner();
  const bytes = bytesOf(text);
  for (let at = 0; at < bytes.length; at += chunk) await scanner.push(bytes.subarray(at, at + chunk));
  return scanner.end();
}

async function mask(text: string, isJson: boolean, chunk?: number): Promise<string> {
  const found = await scan(text, chunk);
  return textOf(
    maskBytes(
      bytesOf(text),
      0,
      found.map((place, secret) => ({ ...place, secret })),
      isJson,
    ),
  );
}

/** The part of the example that must be masked. */
const heartOf = (secret: string): string => secret.match(/[\w-]{9,}(?=@|"|$)/)?.[0] ?? secret.slice(-12);

describe('A secret', () => {
  it.each(SECRETS)('is found in plain text: %s', async (rule, secret) => {
    const masked = await mask(`before ${secret} after`, false);
    expect(masked).not.toContain(heartOf(secret));
    expect(masked).toMatch(/^before .*\[secret 0: [\w ]+\].* after$/);
    if (rule !== 'database password')
      expect((await scan(`x ${secret} y`)).map((found) => found.rule)).toContain(rule);
  });

  it.each(SECRETS)('is found escaped once and twice, and the line stays JSON: %s', async (_, secret) => {
    const once = JSON.stringify({ text: `a\n"${secret}"\tb`, other: 'stays' });
    const twice = JSON.stringify({ arguments: once, other: 'stays' });
    for (const line of [once, twice]) {
      const masked = await mask(line, true);
      expect(masked).not.toContain(heartOf(secret));
      const value = JSON.parse(masked) as { other: string };
      expect(value.other).toBe('stays');
    }
  });

  it('is found in escapes with capital letters', async () => {
    const [, token] = SECRETS[0] ?? ['', ''];
    const line = `{"text":"${[...token].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`;
    expect(JSON.parse(await mask(line, true))).toEqual({ text: '[secret 0: GitHub token]' });
  });

  it.each([
    ['plain', PEM],
    ['escaped', JSON.stringify({ key: PEM })],
    ['escaped twice', JSON.stringify({ file: JSON.stringify({ key: PEM }) })],
    ['without its end', PEM.slice(0, 300)],
  ])('that is a private key is masked whole: %s', async (_, text) => {
    expect(await mask(text, text.startsWith('{'))).not.toMatch(/MIIE/);
  });

  it('is found if a chunk or a window ends inside it', async () => {
    const [, token] = SECRETS[0] ?? ['', ''];
    const window = 256 * 1024;
    for (const before of [window - 20, window - 1, window, 2 * window - 32 * 1024 - 20]) {
      const text = `${'. '.repeat(before / 2)} ${token} .`;
      const found = await scan(text, 1_000_003);
      expect(found.map(({ from, to }) => text.slice(from, to))).toEqual([token]);
      expect(await scan(text, 4_096)).toEqual(found);
    }
  });

  it('cannot be hidden by a comment that switches rules off', async () => {
    const [, token] = SECRETS[0] ?? ['', ''];
    expect(await scan(`// secretlint-disable\n${token}\n`)).toHaveLength(1);
  });

  it('is found by the version of the rules from which the required words were copied', async () => {
    const { readFile } = await import('node:fs/promises');
    const entry = import.meta.resolve('@secretlint/secretlint-rule-preset-recommend');
    const { version } = JSON.parse(await readFile(new URL('../package.json', entry), 'utf8')) as {
      version: string;
    };
    expect(version).toBe('11.3.1');
  });

  it.each([
    ['Slack token', `xoxb-${'123456789012-abcDEF123456'}`],
    ['Slack token', `HTTPS://HOOKS.slack.com/services/${'T00000000/B00000000/abcdefghijklmnop'}`],
    ['database password', 'MySQL://harbour:tR7kq92LmXw4@db.example.org/tides'],
    ['npm token', `npm_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'}`],
    [
      'SendGrid key',
      `SG.${'aB3dE5gH7jK'.repeat(2)}.${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7kL9m'.slice(0, 43)}`,
    ],
    ['Shopify key', `shpat_${'a1b2c3d4'.repeat(4)}`],
    ['Linear key', `lin_api_${'aB3dE5gH'.repeat(5)}`],
    ['OpenAI key', `sk-proj-${'aB3dE5g7jK'.repeat(7)}aB3dT3BlbkFJ${'aB3dE5g7jK'.repeat(7)}aB3d`],
    ['GitLab token', `gldt-${'xK3mN5pQ7rS9tU1vW3xY'}`],
    ['Twilio key', `SK${'0123456789abcdef'.repeat(2)}`],
  ])('of a rare kind is found: %s', async (_, token) => {
    expect(await scan(`it is ${token} `)).not.toEqual([]);
  });

  it.each([
    'const token = process.env.GITHUB_TOKEN;',
    'password = "your_password_here1"',
    'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678',
    'the secretary has the key to the token machine',
    `Authorization: Bearer ${'$'}{TOKEN_FROM_ENV_1}`,
  ])('is not found in text without a secret: %s', async (text) => {
    expect(await scan(text)).toEqual([]);
  });
});

describe('Masking', () => {
  it('changes a line of JSON only inside its strings, wherever the secret starts and ends', () => {
    const value = ['x\\"y\n', 1, 'two', ['k"ey', 'ü\u0001', null, true], 'last'];
    const line = JSON.stringify(value);
    const bytes = bytesOf(line);
    const isSameShape = (a: unknown, b: unknown): boolean =>
      Array.isArray(a) && Array.isArray(b)
        ? a.length === b.length && a.every((item, i) => isSameShape(item, b[i]))
        : typeof a === 'string'
          ? typeof b === 'string'
          : a === b;
    /** Ranges of bytes inside strings. Secrets are masked only in these ranges. */
    const strings = [...line.matchAll(/"(?:[^"\\]|\\.)+"/g)].map((match) => {
      const from = bytesOf(line.slice(0, match.index)).length;
      return { from: from + 1, to: from + bytesOf(match[0]).length - 1 };
    });
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(bytes.length), (a, b) => {
        const place = { from: Math.min(a, b), to: Math.max(a, b), rule: 'r', secret: 0 };
        fc.pre(strings.some(({ from, to }) => from < place.to && to > place.from));
        const masked = textOf(maskBytes(bytes, 0, [place], true));
        expect(masked).toContain('[secret 0: r]');
        expect(isSameShape(JSON.parse(masked), value)).toBe(true);
      }),
    );
  });

  it('joins secrets that overlap, and keeps others separate', async () => {
    const token = SECRETS[0]?.[1] ?? '';
    expect(await scan(`token = "${token}"; password = "${token}"`)).toHaveLength(2);
  });
});

describe('Resolved escapes', () => {
  it('map each character back to its origin', () => {
    const text = 'a\\n\\\\\\"b\\u0041 \\x c';
    const resolved = resolveEscapes(text);
    expect(resolved?.text).toBe('a\n"bA \\x c');
    const places = [...(resolved?.text ?? '')].map((_, i) =>
      text.slice(resolved?.placeOf(i), resolved?.placeOf(i + 1)),
    );
    expect(places).toEqual(['a', '\\n', '\\\\\\"', 'b', '\\u0041', ' ', '\\', 'x', ' ', 'c']);
    expect(resolveEscapes('plain')).toBeNull();
  });
});

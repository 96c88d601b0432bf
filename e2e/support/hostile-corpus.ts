/**
 * Hostile transcripts. If a page rendered them as more than text, they would run a script, contact another host or break
 * the page. Each script calls `breach`, which a story watches.
 */
import { gzipSync } from 'node:zlib';
import { claudeLines } from '@/core/scenario/claude-lines';

export interface HostileFile {
  /** The attack. */
  what: string;
  fileName: string;
  bytes: Buffer;
  /** Text that the page must show. */
  seen: string;
}

const ELSEWHERE = 'http://elsewhere.invalid';
const RUN = "breach('ran')";

const lines = claudeLines({ cwd: '/srv/<b>x</b>', model: '<img src=x onerror=breach(1)>' });
const { line, user } = lines;
let calls = 0;
function assistant(block: object): string {
  calls += 1;
  return lines.assistant(`msg_${calls}`, block);
}
const says = (text: string) => assistant({ type: 'text', text });

export const HTML = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="${ELSEWHERE}/pixel.png">`,
  `<iframe src="javascript:${RUN}"></iframe><iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data="${ELSEWHERE}/x"></object><embed src="${ELSEWHERE}/x"><link rel=stylesheet href="${ELSEWHERE}/x.css">`,
  `<style>@import url(${ELSEWHERE}/x.css);*{display:none!important}</style><base href="${ELSEWHERE}/">`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `<form action="${ELSEWHERE}"><input autofocus onfocus="${RUN}"><button>x</button></form>`,
  `<details open ontoggle="${RUN}">x</details><body onload="${RUN}"></textarea></title></pre><plaintext>`,
  `<a href="javascript:${RUN}">press</a><math href="javascript:${RUN}">x</math>`,
  '<div style="position:fixed;inset:0;z-index:9999;background:url(http://elsewhere.invalid/y)">over it all</div>',
  `{{constructor.constructor('${RUN}')()}} \${${RUN}} <%= 7*7 %>`,
].join('\n');

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><image href="${ELSEWHERE}/x.png"/><foreignObject><iframe src="${ELSEWHERE}"/></foreignObject></svg>`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const MARKDOWN = [
  `![a](${ELSEWHERE}/a.png) ![b](//elsewhere.invalid/b.png "t") ![c][ref]`,
  `[ref]: ${ELSEWHERE}/c.png`,
  `![svg](data:image/svg+xml;base64,${base64(SVG)}) ![html](data:text/html,<script>${RUN}</script>)`,
  `[press](javascript:${RUN}) [press](JaVaScRiPt:${RUN}) [press](java&#10;script:${RUN}) [press](data:text/html;base64,${base64(`<script>${RUN}</script>`)})`,
  `[press](vbscript:x) <javascript:${RUN}> [press](blob:${ELSEWHERE}/1) [press](file:///etc/passwd)`,
  `[x](https://example.test/"onmouseover="${RUN}) [x](<https://example.test/' onclick='${RUN}>)`,
  '```html"><script>breach(1)</script>\n<script>breach(1)</script>\n```',
  '```js onload=breach(1)\n</code></pre><script>breach(1)</script>\n```',
  `| a | b |\n|---|---|\n| <script>${RUN}</script> | ![x](${ELSEWHERE}/t.png) |`,
  `# <img src=x onerror=${RUN}>\n> - 1. **<b onclick=${RUN}>x</b>**`,
  '[secret 1: GitHub token](javascript:breach(1)) [secret 0: x]',
].join('\n\n');

const TERMINAL =
  '\u001b]0;title\u0007\u001b[2J\u001b[H\u001b[31mred\u001b[0m \u001b]8;;javascript:breach(1)\u0007press\u001b]8;;\u0007 \u001b]52;c;cm0gLXJmIC8=\u0007 \u009b31m \u0008\u0008\u0007 a\rb';
const BIDI =
  'access: \u202e\u2066// only admins\u2069\u2066 \u202a\u202b\u202d\u2067\u2068 \u200f\u061c done; invoice\u202egpj.exe; x\u200b\u200b\u2060y\ufeff \u{e0072}\u{e006d}';

/** Harmless lines at the start of each file. */
const AROUND = [user('Begin'), says('It has begun.')];
const END = 'The end of it is here';

function file(
  what: string,
  middle: readonly (string | Buffer)[],
  seen: string,
  fileName = 'x.jsonl',
): HostileFile {
  const parts = [...AROUND, ...middle, says(END)].map((part) =>
    Buffer.concat([typeof part === 'string' ? Buffer.from(part) : part, Buffer.from('\n')]),
  );
  return { what, fileName, bytes: Buffer.concat(parts), seen };
}

function everywhere(text: string): string[] {
  return [
    user(text),
    says(text),
    assistant({ type: 'thinking', thinking: text }),
    assistant({
      type: 'tool_use',
      id: `toolu_${calls}`,
      name: text,
      input: { command: text, file_path: text },
    }),
    user([{ type: 'tool_result', tool_use_id: `toolu_${calls - 1}`, content: text, is_error: true }]),
    user([{ type: text, text }]),
    line('system', { subtype: 'compact_boundary', content: text, compactMetadata: { trigger: text } }),
    user([{ type: 'text', text }]),
    line(text, { content: text }),
    text.replaceAll('\n', ' '),
  ];
}

export function hostileCorpus(): HostileFile[] {
  return [
    file('HTML in every text', everywhere(HTML), '<script>'),
    file('Markdown with pictures on other hosts and script links', everywhere(MARKDOWN), 'javascript:'),
    file(
      'drawings with scripts',
      [
        ...everywhere(SVG),
        user([
          { type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: base64(SVG) } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(SVG) } },
          { type: 'image', source: { type: 'url', url: `${ELSEWHERE}/x.png` } },
        ]),
      ],
      'foreignObject',
    ),
    file('terminal escapes', everywhere(TERMINAL), '␛[31m'),
    file('marks that change the text direction', everywhere(BIDI), '⟨RLO⟩'),
    file(
      'a line of 1 MB without a space',
      [says('x'.repeat(1_000_000)), user('y'.repeat(1_000_000))],
      'xxxx',
    ),
    file('a line of 1 MB of marks', [says('*_[`'.repeat(250_000)), `${'"'.repeat(1_000_000)}`], '*_['),
    file(
      'nesting 100 000 levels deep',
      [
        `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
        `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
        `{"type":"user","message":{"role":"user","content":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
        says('> '.repeat(20_000)),
        says('- '.repeat(20_000)),
      ],
      '[[[[',
    ),
    file(
      'broken UTF-8',
      [
        Buffer.from([0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf5, 0x80, 0x80]),
        Buffer.concat([
          Buffer.from('{"type":"user","message":{"role":"user","content":"a'),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('b"}}'),
        ]),
        user('\ud800 alone'),
      ],
      'alone',
    ),
    file(
      'NUL bytes',
      [
        Buffer.from('\u0000\u0000\u0000'),
        user('a\u0000b'),
        says('c\u0000d'),
        Buffer.from('{"type":"user\u0000"}'),
      ],
      '␀',
    ),
    file(
      'two values on a line',
      [`${user('first of two')}${user('second of two')}`, '{}{}[]1 2 null'],
      'second of two',
    ),
    file(
      'hostile property names and paths',
      [
        line('__proto__', { message: { __proto__: { x: 1 }, constructor: 'x', toString: 'y' } }),
        '{"__proto__":{"breached":true},"type":"user","message":{"role":"user","content":"polluted?"}}',
        line('assistant', { message: null }),
        line('user', { message: { role: 'user', content: { length: 1e9 } } }),
        'null',
        '[]',
        '"x"',
        line('user', {
          isSidechain: true,
          agentId: '../../../etc/passwd',
          message: { role: 'user', content: 'side' },
        }),
      ],
      'polluted?',
      '"><img src=x onerror=breach(1)> %2e%2e%2f.jsonl',
    ),
    {
      what: 'a gzip bomb instead of text',
      fileName: 'bomb.jsonl',
      bytes: gzipSync(Buffer.alloc(50_000_000)),
      seen: '',
    },
    {
      what: 'a text file with HTML',
      fileName: '<script>breach(1)<script>.md',
      bytes: Buffer.from(`${HTML}\n${MARKDOWN}\n${TERMINAL}\n${BIDI}\n`),
      seen: '<script>',
    },
  ];
}

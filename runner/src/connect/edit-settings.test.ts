import { describe, expect, it } from 'vitest';
import { headersHelper, hookLine, isOurStatusLine, statusLineReport } from './client-commands';
import { addEntries, countEntries, removeEntries, sendsTelemetry } from './edit-settings';

const OWN = { variables: ['BAROGRAPH_DATA_DIR=/srv/da ta'], node: '/usr/bin/node', entry: '/opt/barograph' };
const HOOK = hookLine(OWN);
const ENTRIES = {
  events: [{ event: 'PreCompact' }, { event: 'SessionEnd' }],
  timeout: 10,
  hook: HOOK,
  statusLine: statusLineReport(OWN),
  headersHelper: headersHelper(OWN, 'http://127.0.0.1:4680/v1/logs', true),
  keyAddress: null,
};
const ADDRESS = `http://127.0.0.1:4680/v1/otlp/${'0f'.repeat(32)}`;
const GEMINI = { ...ENTRIES, statusLine: null, headersHelper: null, keyAddress: ADDRESS };

const ours = { type: 'command', command: HOOK, timeout: 10 };
const users = { type: 'command', command: 'say done' };
const add = (text: string) => addEntries(text, ENTRIES);
const parsed = (text: string) => JSON.parse(text.trim().replaceAll(/(?<!:)\/\/.*|\/\*.*?\*\//gm, ''));

const SETTINGS: [string, string][] = [
  ['an empty object', '{}\n'],
  ['a byte order mark', '\uFEFF{\r\n  "model": "opus"\r\n}\r\n'],
  ['an object without a final newline', '{\n  "model": "opus"\n}'],
  ['tabs', '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n'],
  ['CRLF', '{\r\n    "model": "opus"\r\n}\r\n'],
  ['one line', '{"model":"opus","hooks":{"PreCompact":[]}}'],
  ['comments', '// mine\n{\n  // the model\n  "model" : "opus" // fast\n  /* end */\n}\n'],
  ['an uneven style', '{ "model":   "opus",\n"env":{"A":"1" }\n , "x":[1,\n2] }\n'],
  [
    'hooks and a status line',
    JSON.stringify(
      {
        hooks: { PreCompact: [{ matcher: 'auto', hooks: [users] }], Stop: [{ hooks: [users] }] },
        statusLine: { type: 'command', command: 'printf "%s" "$(cat | jq -r .model.id)" # mine', padding: 0 },
      },
      null,
      2,
    ),
  ],
  ['empty hooks', '{\n  "hooks": {}\n}\n'],
];

describe('the entries of Barograph in settings', () => {
  it.each(SETTINGS)('are added to and removed from settings with %s', (_, text) => {
    const added = add(text);
    expect(parsed(added)).toMatchObject({ ...parsed(text), hooks: {}, statusLine: {} });
    expect(parsed(added).hooks.SessionEnd).toEqual([{ hooks: [ours] }]);
    expect(parsed(added).hooks.PreCompact.at(-1)).toEqual({ hooks: [ours] });
    expect(isOurStatusLine(parsed(added).statusLine.command)).toBe(true);
    expect(countEntries(added)).toBe(3);
    expect(removeEntries(added, text)).toBe(text);
  });

  it.each(SETTINGS)('leave edits after them in settings with %s', (_, text) => {
    const edited = add(text).replace('opus', 'haiku').replace('say done', 'say it');
    expect(removeEntries(edited, text)).toBe(text.replace('opus', 'haiku').replace('say done', 'say it'));
  });

  it('leave hooks and comments that the user adds beside them', () => {
    const text = '{\n  "model": "opus"\n}\n';
    const added = add(text);
    const [before, after] = added.split('"SessionEnd": [') as [string, string];
    const own = JSON.stringify({ hooks: [users] });
    const edited = `${before}// ends\n"SessionEnd": [ /* mine */ ${own},${after}`;
    const removed = removeEntries(edited, text);
    expect(parsed(removed)).toEqual({ model: 'opus', hooks: { SessionEnd: [{ hooks: [users] }] } });
    expect(removed).toContain('// ends');
    expect(removed).toContain(`[ /* mine */ ${own}`);
  });

  it('are removed without the original text, and with a handler of the user in the same entry', () => {
    const hooks = {
      PreCompact: [{ matcher: 'auto', hooks: [users, ours] }],
      SessionEnd: [{ hooks: [ours] }],
    };
    expect(parsed(removeEntries(JSON.stringify({ hooks }), null))).toEqual({
      hooks: { PreCompact: [{ matcher: 'auto', hooks: [users] }] },
    });
  });

  it('send only log events to this server, without a token in the settings', () => {
    const { env, otelHeadersHelper } = parsed(add('{"env":{"A":"1"}}'));
    expect(env).toEqual({
      A: '1',
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://127.0.0.1:4680/v1/logs',
      OTEL_METRICS_EXPORTER: 'none',
    });
    expect(otelHeadersHelper).toBe(ENTRIES.headersHelper);
  });

  it.each([
    '{"env":{"OTEL_EXPORTER_OTLP_ENDPOINT":"https://collector.example"}}',
    '{"env":{"CLAUDE_CODE_ENABLE_TELEMETRY":"0"}}',
    '{"otelHeadersHelper":"/opt/headers.sh"}',
  ])('leave own OTLP settings as they are: %s', (text) => {
    const added = add(text);
    expect(parsed(added)).toMatchObject(JSON.parse(text));
    expect([sendsTelemetry(added), removeEntries(added, text)]).toEqual([false, text]);
  });

  it.each(SETTINGS)('send the telemetry of Gemini CLI, without prompts, in settings with %s', (_, text) => {
    const added = addEntries(text, GEMINI);
    const telemetry = { enabled: true, target: 'local', otlpEndpoint: ADDRESS, otlpProtocol: 'http' };
    expect(parsed(added).telemetry).toEqual({ ...telemetry, logPrompts: false });
    expect([sendsTelemetry(added), removeEntries(added, text)]).toEqual([true, text]);
  });

  it('leave own telemetry settings of Gemini CLI as they are', () => {
    const text = '{"telemetry":{"enabled":false}}';
    const added = addEntries(text, GEMINI);
    expect([sendsTelemetry(added), parsed(added).telemetry]).toEqual([false, { enabled: false }]);
    const changed = addEntries('{}', GEMINI).replace('"logPrompts":false', '"logPrompts": true');
    expect(parsed(removeEntries(changed.replace('"enabled": true', '"enabled": false'), '{}'))).toEqual({
      telemetry: { enabled: false },
    });
  });

  it('leave an OTLP address that the user set since', () => {
    const edited = add('{"env":{}}').replace(
      '"http://127.0.0.1:4680/v1/logs"',
      '"https://collector.example"',
    );
    const env = { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://collector.example' };
    expect(parsed(removeEntries(edited, '{"env":{}}'))).toEqual({ env });
  });

  it.each([
    ['a missing comma', '{\n  "a": 1\n  "b": 2\n}', 'line 3 is not valid JSON: comma expected'],
    ['a list', '[]', 'it is not a JSON object'],
    ['hooks in a list', '{"hooks":[]}', '"hooks" is not an object'],
    ['an event without a list', '{"hooks":{"PreCompact":{}}}', '"PreCompact" in "hooks" is not an array'],
    ['a status line without a command', '{"statusLine":true}', '"statusLine" has no "command"'],
    ['a key that occurs twice', '{"hooks":{},"hooks":{}}', 'the key "hooks" occurs twice'],
    [
      'an inner key that occurs twice',
      '{"hooks":{"Stop":[],"SessionEnd":[],"SessionEnd":[]}}',
      '"SessionEnd" occurs',
    ],
  ])('are refused by settings with %s', (_, text, reason) => {
    expect(() => add(text)).toThrow(reason);
  });
});

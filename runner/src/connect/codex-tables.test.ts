import { expect, test } from 'vitest';
import {
  addCodexTables,
  codexBackups,
  hasCodexMcp,
  hasCodexTelemetry,
  removeCodexTables,
} from './codex-tables';

const ENDPOINT = 'http://127.0.0.1:4680/v1/otlp/00ff/v1/logs';
const EXPORTER = `exporter = { otlp-http = { endpoint = "${ENDPOINT}", protocol = "binary" } }\n`;
const MCP = {
  command: '/usr/bin/node',
  args: ['/opt/b "x"/main.js', 'mcp'],
  env: { BAROGRAPH_DATA_DIR: '/srv' },
};
const add = (text: string, mcp: typeof MCP | null = null) =>
  addCodexTables(text, { endpoint: ENDPOINT, mcp }, '/home/ines/a b');

test.each([
  ['no text', ''],
  ['a key', 'model = "gpt-5"\n'],
  ['no final newline', '[features]\nhooks = true'],
  ['CRLF', 'model = "gpt-5"\r\n[features]\r\nhooks = true\r\n'],
])('adds OTLP settings to %s, and removes them byte for byte', (_, text) => {
  const added = add(text);
  expect(added.replaceAll('\r\n', '\n')).toContain(`[otel]\n${EXPORTER}`);
  expect([added.startsWith(text), hasCodexTelemetry(added), codexBackups(added)]).toEqual([
    true,
    true,
    '/home/ines/a b',
  ]);
  expect(removeCodexTables(added).trimEnd()).toBe(text.trimEnd());
  expect(add(added)).toBe(added);
  const both = add(text, MCP);
  expect(both.replaceAll('\r\n', '\n')).toContain(
    '[mcp_servers.barograph]\ncommand = "/usr/bin/node"\nargs = ["/opt/b \\"x\\"/main.js","mcp"]\nenv = { BAROGRAPH_DATA_DIR = "/srv" }\n',
  );
  expect([hasCodexMcp(both), hasCodexTelemetry(both), hasCodexMcp(added)]).toEqual([true, true, false]);
  expect(removeCodexTables(both).trimEnd()).toBe(text.trimEnd());
});

test.each([
  '[mcp_servers.barograph]\ncommand = "b"\n',
  'mcp_servers = {}\n',
  '[mcp_servers."barograph".env]\n',
])('leaves own MCP servers as they are: %j', (text) => {
  const added = addCodexTables(text, { endpoint: null, mcp: MCP }, '/home');
  expect([added, hasCodexMcp(added), removeCodexTables(text)]).toEqual([text, false, text]);
});

test.each(['[otel]\nenvironment = "dev"\n', 'otel.exporter = "none"\n', ' [ "otel".exporter.otlp-http ]\n'])(
  'leaves own OTLP settings as they are: %j',
  (text) => {
    expect([add(text), removeCodexTables(text), hasCodexTelemetry(text)]).toEqual([text, text, false]);
  },
);

test('keeps tables and keys that Codex or the user added since', () => {
  const trusted = '\n[projects."/srv"]\ntrust_level = "trusted"\n';
  expect(removeCodexTables(add('model = "gpt-5"\n') + trusted)).toBe(`model = "gpt-5"\n${trusted}`);
  const own = 'environment = "dev"\n';
  expect(removeCodexTables(add('model = "gpt-5"\n') + own + trusted)).toBe(
    `model = "gpt-5"\n[otel]\n${own}${trusted}`,
  );
});

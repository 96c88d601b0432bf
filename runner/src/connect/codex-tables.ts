/** Adds tables to the text of Codex's `config.toml`, and removes them. All other text is unchanged. */
import type { McpServer } from './mcp-server';

const ADDED = '# Added by `barograph connect`. The former text of this file is in ';

interface Table {
  /** As in `[name]`. */
  name: string;
  /** Names of its keys, in order. */
  keys: readonly string[];
  /** Matches if the user has this table. After a false match, nothing is added. */
  taken: RegExp;
}

const TELEMETRY: Table = {
  name: 'otel',
  keys: ['exporter'],
  taken: /^[ \t]*(\[+[ \t]*)?["']?otel["']?[ \t]*[.=\]]/m,
};
const MCP: Table = {
  name: 'mcp_servers.barograph',
  keys: ['command', 'args', 'env'],
  // A table cannot follow a value with the name of its parent.
  taken: /^[ \t]*(\[+[ \t]*)?["']?mcp_servers["']?[ \t]*(=|\.[ \t]*["']?barograph["']?[ \t]*[.=\]])/m,
};

const escaped = (text: string) => text.replaceAll(/[.*[\]]/g, '\\$&');
const ours = ({ name, keys }: Table) =>
  new RegExp(
    `(?:\\r?\\n)?^${escaped(ADDED)}(?<folder>.*)\\r?\\n(?<table>\\[${escaped(name)}\\]\\r?\\n)${keys
      .map((key) => `${key} = .*(?:\\r?\\n|$)`)
      .join('')}(?<own>\\s*[^\\s[#])?`,
    'm',
  );

interface CodexTables {
  /** Address for OTLP; null: no table for it. */
  endpoint: string | null;
  /** Null: no table for it. */
  mcp: McpServer | null;
}

/** @param backups folder of the original text. @returns the same text if it has both tables */
export function addCodexTables(text: string, { endpoint, mcp }: CodexTables, backups: string): string {
  const exporter = `{ otlp-http = { endpoint = ${JSON.stringify(endpoint)}, protocol = "binary" } }`;
  const withTelemetry = endpoint === null ? text : addTable(text, TELEMETRY, [exporter], backups);
  if (mcp === null) return withTelemetry;
  const env = Object.entries(mcp.env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const values = [JSON.stringify(mcp.command), JSON.stringify(mcp.args), `{ ${env.join(', ')} }`];
  return addTable(withTelemetry, MCP, values, backups);
}

function addTable(text: string, table: Table, values: readonly string[], backups: string): string {
  if (table.taken.test(text)) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  const lines = table.keys.map((key, index) => `${key} = ${values[index]}`);
  return `${text}${gap}${[`${ADDED}${backups}`, `[${table.name}]`, ...lines, ''].join(eol)}`;
}

export const hasCodexTelemetry = (text: string) => ours(TELEMETRY).test(text);
export const hasCodexMcp = (text: string) => ours(MCP).test(text);

export const removeCodexTables = (text: string): string => removeTable(removeTable(text, MCP), TELEMETRY);

function removeTable(text: string, table: Table): string {
  const { index = 0, groups = {}, ...found } = ours(table).exec(text) ?? { index: -1, 0: '' };
  if (index < 0) return text;
  // The user added keys to the table, so its header stays.
  const own = groups.own ?? '';
  const rest = own === '' ? '' : `${groups.table}${own.trimStart()}`;
  return text.slice(0, index) + rest + text.slice(index + found[0].length);
}

/** The folder of the original text, as the added lines state it; null: there are no such lines. */
export const codexBackups = (text: string): string | null =>
  (ours(TELEMETRY).exec(text) ?? ours(MCP).exec(text))?.groups?.folder ?? null;

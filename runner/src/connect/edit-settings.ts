/**
 * Adds Barograph's hooks and status line to the text of an agent's settings, and removes them. The edits keep all other
 * text, with its comments and its formatting.
 */
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import {
  formerStatusLine,
  helperEndpoint,
  isKeyAddress,
  isOurHook,
  isOurStatusLine,
  variableIn,
  wrapStatusLine,
} from './client-commands';
import { isOurMcp, MCP_NAME, type McpServer } from './mcp-server';
import { describeError } from './settings-rules';

export interface Entries {
  /** Events that call the hook. `timeout` replaces the common one. */
  events: readonly { event: string; matcher?: string; timeout?: number }[];
  /** Time for which the agent waits for the hook, in the agent's unit. */
  timeout: number;
  hook: string;
  /** Further events, with the command that answers each of them. */
  texts?: readonly { events: Entries['events']; command: string }[];
  /** Command that reports the status line's input; null: the agent has no status line. */
  statusLine: string | null;
  /** Claude Code: command that prints the headers for OTLP; null: no OTLP settings are added. */
  headersHelper: string | null;
  /** Gemini CLI: address for OTLP, which contains the key; null: no OTLP settings are added. */
  keyAddress: string | null;
}

const COMMENT = /\/[/*]/;
const STATUS_LINE = ['statusLine', 'command'];
const HELPER = 'otelHeadersHelper';
const GEMINI = 'telemetry';
const MCP = 'mcpServers';
const TELEMETRY = /^(OTEL_|CLAUDE_CODE_(ENABLE|ENHANCED)_TELEMETRY|GEMINI_TELEMETRY_)/;

/** With these variables, Claude Code sends only its log events, which contain no text of a conversation. */
const telemetryVariables = (endpoint: string) => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: '1',
  OTEL_LOGS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpoint,
  // The headers apply to all signals, so an exporter of metrics would send the token elsewhere.
  OTEL_METRICS_EXPORTER: 'none',
});

const geminiTelemetry = (keyAddress: string) => ({
  enabled: true,
  target: 'local',
  otlpEndpoint: keyAddress,
  otlpProtocol: 'http',
  logPrompts: false,
});

/** Whether settings or variables of a shell configure OTLP. */
export const hasTelemetry = (names: readonly string[]) => names.some((name) => TELEMETRY.test(name));

/** The settings cannot be edited. The message gives the reason. */
export class SettingsProblem extends Error {}

/** @param text settings without entries of Barograph; empty for new settings. @throws SettingsProblem */
export function addEntries(text: string, entries: Entries): string {
  const { events, hook, texts = [], statusLine, headersHelper, keyAddress } = entries;
  const commands = [
    ...events.map((event) => ({ ...event, command: hook })),
    ...texts.flatMap(({ events: each, command }) => each.map((event) => ({ ...event, command }))),
  ];
  let edited = text.trim() === '' ? '{}\n' : text;
  const at = (...path: JSONPath) => findNodeAtLocation(readTree(edited), path);
  refuseRepeated(at(), ['hooks', 'statusLine', 'env']);
  refuseRepeated(
    at('hooks'),
    commands.map(({ event }) => event),
  );
  refuseRepeated(at('statusLine'), ['command']);
  const add = (parent: Node | undefined, name: string | null, value: unknown, where = '"hooks"') => {
    const type = name === null ? 'array' : 'object';
    if (parent?.type !== type) throw new SettingsProblem(`${where} is not an ${type}`);
    edited = append(edited, parent, name, value);
  };
  if (at('hooks') === undefined) add(readTree(edited), 'hooks', {});
  for (const { event, command, timeout = entries.timeout, ...matcher } of commands) {
    const entry = { ...matcher, hooks: [{ type: 'command', command, timeout }] };
    if (at('hooks', event) === undefined) add(at('hooks'), event, [entry]);
    else add(at('hooks', event), null, entry, `"${event}" in "hooks"`);
  }
  if (statusLine !== null) {
    const former = at(...STATUS_LINE);
    if (at('statusLine') !== undefined && typeof former?.value !== 'string')
      throw new SettingsProblem('"statusLine" has no "command"');
    const command = wrapStatusLine(statusLine, former?.value ?? null);
    if (former === undefined) add(readTree(edited), 'statusLine', { type: 'command', command });
    else edited = replace(edited, former, command);
  }
  if (keyAddress !== null && at(GEMINI) === undefined)
    add(readTree(edited), GEMINI, geminiTelemetry(keyAddress));
  return headersHelper === null ? edited : addTelemetry(edited, headersHelper);
}

/** Add the OTLP settings, unless the user has OTLP settings. */
function addTelemetry(text: string, helper: string): string {
  const tree = readTree(text);
  const env = findNodeAtLocation(tree, ['env']);
  const isTaken = findNodeAtLocation(tree, [HELPER]) !== undefined || hasTelemetry(namesIn(env));
  if (isTaken || (env !== undefined && env.type !== 'object')) return text;
  const variables = telemetryVariables(helperEndpoint(helper) ?? '');
  let edited = env === undefined ? append(text, tree, 'env', variables) : text;
  for (const [name, value] of env === undefined ? [] : Object.entries(variables))
    edited = append(edited, findNodeAtLocation(readTree(edited), ['env']) as Node, name, value);
  return append(edited, readTree(edited), HELPER, helper);
}

/** Removes the variables that still have Barograph's value. */
function removeTelemetry(text: string, before: Node | undefined): string {
  const find = (...path: JSONPath) => findNodeAtLocation(readTree(edited), path);
  let edited = text;
  const remove = (node: Node | undefined) => {
    if (node?.parent !== undefined) edited = applyEdits(edited, cut(edited, node.parent));
  };
  const removeFrom = (parent: string, values: object) => {
    for (const [name, value] of Object.entries(values))
      if (find(parent, name)?.value === value) remove(find(parent, name));
    if (namesIn(find(parent)).length === 0 && !(before && findNodeAtLocation(before, [parent])))
      remove(find(parent));
  };
  const keyAddress = find(GEMINI, 'otlpEndpoint')?.value;
  if (isKeyAddress(keyAddress)) removeFrom(GEMINI, geminiTelemetry(keyAddress));
  const endpoint = helperEndpoint(find(HELPER)?.value);
  if (endpoint === null) return edited;
  removeFrom('env', telemetryVariables(endpoint));
  remove(find(HELPER));
  return edited;
}

/** Add the MCP server, unless the user has one of this name. @param text empty for new settings. @throws SettingsProblem */
export function addMcpServer(text: string, server: McpServer): string {
  const edited = text.trim() === '' ? '{}\n' : text;
  const tree = readTree(edited);
  refuseRepeated(tree, [MCP]);
  const servers = findNodeAtLocation(tree, [MCP]);
  if (servers === undefined) return append(edited, tree, MCP, { [MCP_NAME]: server });
  if (servers.type !== 'object') throw new SettingsProblem(`"${MCP}" is not an object`);
  if (namesIn(servers).includes(MCP_NAME)) return edited;
  return append(edited, servers, MCP_NAME, server);
}

/** Whether the settings contain Barograph's MCP server. @throws SettingsProblem */
export const hasMcpServer = (text: string) => text.trim() !== '' && findMcp(readTree(text)) !== undefined;

function findMcp(tree: Node): Node | undefined {
  const server = findNodeAtLocation(tree, [MCP, MCP_NAME]);
  return server !== undefined && isOurMcp(getNodeValue(server)) ? server : undefined;
}

function removeMcp(text: string, before: Node | undefined): string {
  const server = findMcp(readTree(text));
  const servers = ancestor(server, 2);
  if (server?.parent === undefined) return text;
  const isOnly = servers?.children?.length === 1 && !(before && findNodeAtLocation(before, [MCP]));
  return applyEdits(text, cut(text, isOnly && servers?.parent ? servers.parent : server.parent));
}

/** Names of an object's properties. */
const namesIn = (node: Node | undefined): string[] =>
  node?.type === 'object' ? (node.children ?? []).map(({ children }) => children?.[0]?.value) : [];

/** Whether the settings contain Barograph's settings for OTLP. @throws SettingsProblem */
export const sendsTelemetry = (text: string) =>
  helperEndpoint(findNodeAtLocation(readTree(text), [HELPER])?.value) !== null ||
  isKeyAddress(findNodeAtLocation(readTree(text), [GEMINI, 'otlpEndpoint'])?.value);

/** If an object has two equal keys, parsers use the last key, but an edit would change the first key. */
function refuseRepeated(node: Node | undefined, names: readonly string[]): void {
  const keys = namesIn(node);
  const repeated = names.find((name) => keys.indexOf(name) !== keys.lastIndexOf(name));
  if (repeated !== undefined) throw new SettingsProblem(`the key "${repeated}" occurs twice`);
}

/** @param original the text before Barograph added its entries, if it is known. @throws SettingsProblem */
export function removeEntries(text: string, original: string | null): string {
  if (text.trim() === '') return text;
  const before = original?.trim() ? readTree(original) : undefined;
  let edited = removeMcp(removeTelemetry(text, before), before);
  for (let found = findOurs(edited, before); found !== null; found = findOurs(edited, before)) {
    edited = applyEdits(edited, cut(edited, found));
  }
  const command = findNodeAtLocation(readTree(edited), STATUS_LINE);
  if (command === undefined || !isOurStatusLine(command.value)) return edited;
  const former = formerStatusLine(command.value);
  const statusLine = ancestor(command, 3);
  return former === null && statusLine
    ? applyEdits(edited, cut(edited, statusLine))
    : replace(edited, command, former);
}

/** Number of Barograph's hooks and status lines. @throws SettingsProblem */
export function countEntries(text: string): number {
  if (text.trim() === '') return 0;
  const tree = readTree(text);
  const statusLine = findNodeAtLocation(tree, STATUS_LINE)?.value;
  return handlersOf(tree).filter(isOurs).length + (isOurStatusLine(statusLine) ? 1 : 0);
}

/** The value of a variable in Barograph's first hook or its MCP server; null: neither sets it. @throws SettingsProblem */
export function variableInEntries(text: string, name: string): string | null {
  if (text.trim() === '') return null;
  const tree = readTree(text);
  const hook = handlersOf(tree).find(isOurs);
  if (hook !== undefined) return variableIn(findNodeAtLocation(hook, ['command'])?.value, name);
  const server = findMcp(tree);
  return (server && findNodeAtLocation(server, ['env', name])?.value) ?? null;
}

function readTree(text: string): Node {
  const errors: ParseError[] = [];
  // A space instead of a byte order mark keeps every offset.
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw new SettingsProblem(describeError(text, error));
  if (tree?.type !== 'object') throw new SettingsProblem('it is not a JSON object');
  return tree;
}

/** Handlers of all hooks: the objects with a `command`. */
function handlersOf(tree: Node): Node[] {
  const events = findNodeAtLocation(tree, ['hooks'])?.children ?? [];
  const entries = events.flatMap(({ children }) => childrenOf(children?.[1]));
  return entries.flatMap((entry) =>
    entry.type === 'object' ? childrenOf(findNodeAtLocation(entry, ['hooks'])) : [],
  );
}

const childrenOf = (node: Node | undefined) => (node?.type === 'array' ? (node.children ?? []) : []);
const isOurs = (handler: Node) =>
  handler.type === 'object' && isOurHook(findNodeAtLocation(handler, ['command'])?.value);

/** The largest part of the settings that contains only one hook of Barograph and is not in the original text. */
function findOurs(text: string, before: Node | undefined): Node | null {
  const handler = handlersOf(readTree(text)).find(isOurs);
  const [entry, event, hooks] = [ancestor(handler, 3), ancestor(handler, 5), ancestor(handler, 7)];
  if (handler === undefined || entry === undefined) return null;
  const isOnly = (node: Node | undefined) => node?.parent?.children?.length === 1;
  const existed = (...path: JSONPath) =>
    before !== undefined && findNodeAtLocation(before, path) !== undefined;
  if (!isOnly(handler)) return handler;
  if (event === undefined || !isOnly(entry) || existed('hooks', event.children?.[0]?.value)) return entry;
  return hooks === undefined || !isOnly(event) || existed('hooks') ? event : hooks;
}

function ancestor(node: Node | undefined, steps: number): Node | undefined {
  let found = node;
  for (let step = 0; step < steps; step += 1) found = found?.parent;
  return found;
}

const endOf = ({ offset, length }: Node) => offset + length;
const replace = (text: string, { offset, length }: Node, value: unknown) =>
  applyEdits(text, [{ offset, length, content: JSON.stringify(value) }]);
const removal = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: '' });

/** Removes a property or an element with one comma. Comments around it stay. */
function cut(text: string, node: Node): Edit[] {
  const siblings = node.parent?.children ?? [];
  const index = siblings.indexOf(node);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  const end = endOf(node);
  if (next !== undefined) {
    const hasComment = COMMENT.test(text.slice(end, next.offset));
    return [removal(node.offset, hasComment ? (commaAfter(text, end) ?? end - 1) + 1 : next.offset)];
  }
  if (previous !== undefined) {
    const [from, comma] = [endOf(previous), commaAfter(text, endOf(previous)) ?? endOf(previous)];
    if (!COMMENT.test(text.slice(from, node.offset))) return [removal(from, end)];
    return [removal(comma, comma + 1), removal(startOfSpace(text, node.offset, end), end)];
  }
  const close = node.parent === undefined ? end : endOf(node.parent) - 1;
  const after = (commaAfter(text, end) ?? end - 1) + 1;
  const rest = text.slice(after, close);
  const to = rest.trim() === '' ? close : after;
  return [removal(startOfSpace(text, node.offset, to), to)];
}

/** Start of the white space before a part. A line comment must not reach the text behind the part. */
function startOfSpace(text: string, offset: number, end: number): number {
  const before = text.slice(0, offset).trimEnd();
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return line.includes('//') && !/^[ \t]*\r?\n/.test(text.slice(end)) ? offset : before.length;
}

function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const found = scanner.getTokenOffset();
  return text[found] === ',' ? found : null;
}

/** Appends a value to an object or an array, in the style of the text. */
function append(text: string, parent: Node, key: string | null, value: unknown): string {
  const last = parent.children?.at(-1);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n([ \t]+)["[{]/.exec(text)?.[1] ?? '  ';
  const inside = text.slice(parent.offset + 1, last?.offset ?? endOf(parent) - 1);
  const isOneLine =
    last === undefined
      ? /^[^\n]*\S[^\n]*$/.test(text.trim()) && text.trim() !== '{}'
      : !inside.includes('\n');
  const indent = isOneLine ? '' : last ? indentAt(text, last.offset) : indentAt(text, parent.offset) + unit;
  const json = JSON.stringify(value, null, isOneLine ? undefined : unit).replaceAll('\n', eol + indent);
  const body = `${isOneLine ? '' : eol + indent}${key === null ? '' : `${JSON.stringify(key)}:${isOneLine ? '' : ' '}`}${json}`;
  if (last === undefined) {
    const isBlank = inside.trim() === '';
    const tail = isOneLine || !isBlank ? '' : eol + indentAt(text, parent.offset);
    const length = isBlank ? inside.length : 0;
    return applyEdits(text, [{ offset: parent.offset + 1, length, content: body + tail }]);
  }
  return applyEdits(text, [{ offset: endOf(last), length: 0, content: `,${body}` }]);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The commands of `npm run token` in a clone, and of `barograph token` in the server's package. */
import { parseArgs } from 'node:util';
import type postgres from 'postgres';
import {
  createToken,
  type ListedToken,
  listTokens,
  revokeToken,
  TOKEN_SCOPES,
  type TokenScope,
} from '../../db/queries/tokens';
import { recordAudit } from '../../db/transcripts/record-audit';

type TokenCommand =
  | { type: 'create'; name: string; scope: TokenScope; project: string | null }
  | { type: 'list' }
  | { type: 'revoke'; nameOrId: string };

const COMMAND = import.meta.url.endsWith('.ts') ? 'npm run token --' : 'barograph token';
export const USAGE = [
  `Usage: ${COMMAND} --name NAME --scope ${TOKEN_SCOPES.join('|')} [--project PROJECT]`,
  `       ${COMMAND} --list`,
  `       ${COMMAND} --revoke NAME_OR_ID`,
].join('\n');

/** @throws Error with the usage if the arguments are not exactly one command */
export function parseTokenCommand(args: readonly string[]): TokenCommand {
  const values = readOptions(args);
  const given = Object.keys(values).sort().join(' ');
  if (given === 'list') return { type: 'list' };
  const nameOrId = values.revoke?.trim() ?? '';
  if (given === 'revoke' && nameOrId !== '') return { type: 'revoke', nameOrId };
  const name = values.name?.trim() ?? '';
  const scope = TOKEN_SCOPES.find((candidate) => candidate === values.scope);
  const project = values.project?.trim() ?? null;
  // Only a token of the scope ingest writes sessions.
  const options =
    scope === 'ingest' && project !== '' ? ['name scope', 'name project scope'] : ['name scope'];
  if (!options.includes(given) || name === '' || name.length > 200 || scope === undefined)
    throw new Error(USAGE);
  return { type: 'create', name, scope, project };
}

/** Actor in the audit log. */
const ACTOR = 'command';

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        name: { type: 'string' },
        scope: { type: 'string' },
        project: { type: 'string' },
        list: { type: 'boolean' },
        revoke: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/**
 * @returns the output for stdout, and a note for stderr
 * @throws Error for an unknown token, or a name of several tokens
 */
export async function runTokenCommand(sql: postgres.Sql, command: TokenCommand) {
  switch (command.type) {
    case 'create': {
      const { name, scope, project } = command;
      const detail = { name, scope, ...(project !== null && { project }) };
      const output = await createToken(sql, command);
      await recordAudit(sql, { actor: ACTOR, action: 'token_created', detail });
      const where = project === null ? '' : ` for the project "${project}"`;
      return { output, note: `Token "${name}" of scope ${scope}${where}. Shown only once:` };
    }
    case 'list':
      return { output: formatTokens(await listTokens(sql)), note: '' };
    case 'revoke': {
      const token = chooseToken(await listTokens(sql), command.nameOrId);
      await revokeToken(sql, token, ACTOR);
      const note = 'A running server refuses it within a minute.';
      return { output: `Revoked ${token.id} "${token.name}" of scope ${token.scope}.`, note };
    }
  }
}

function chooseToken(tokens: readonly ListedToken[], nameOrId: string): ListedToken {
  const byId = tokens.find(({ id }) => String(id) === nameOrId);
  if (byId) return byId;
  const [token, ...others] = tokens.filter(({ name }) => name === nameOrId);
  if (!token) throw new Error(`No active token has the name or id "${nameOrId}". See: ${COMMAND} --list`);
  if (others.length === 0) return token;
  const ids = [token, ...others].map(({ id }) => id).join(', ');
  throw new Error(`Several tokens have the name "${nameOrId}". Revoke by id, one of: ${ids}`);
}

const HEADINGS = ['id', 'scope', 'project', 'created', 'last used', 'name'];

/** Columns with times in UTC. The name is last because it may be long. */
function formatTokens(tokens: readonly ListedToken[]): string {
  const minute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  // A name must not send control characters to a terminal.
  const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, '?');
  const rows = tokens.map(({ id, scope, project, createdAt, lastUsedAt, name }) => [
    String(id),
    scope,
    printable(project ?? 'all'),
    minute(createdAt),
    lastUsedAt ? minute(lastUsedAt) : 'never',
    printable(name),
  ]);
  const lines = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (line: string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => pad(line).trimEnd()).join('\n');
}

/** The commands of `npm run token` in a clone, and of `barograph token` in the server's package. */
import { parseArgs } from 'node:util';
import type postgres from 'postgres';
import { DEFAULT_OVERLAP_MINUTES, newToken } from '../../core/api/settings';
import {
  describeGrant,
  issueToken,
  type ListedToken,
  listTokens,
  revokeToken,
  rotateToken,
  TOKEN_SCOPES,
  type TokenScope,
} from '../../db/queries/tokens';
import { recordAudit } from '../../db/transcripts/record-audit';

type TokenCommand =
  | { type: 'create'; name: string; scopes: TokenScope[]; projects: string[] | null; days: number | null }
  | { type: 'list' }
  | { type: 'rotate'; nameOrId: string; hours: number }
  | { type: 'revoke'; nameOrId: string };

const COMMAND = import.meta.url.endsWith('.ts') ? 'npm run token --' : 'barograph token';
export const USAGE = [
  `Usage: ${COMMAND} --name NAME --scope ${TOKEN_SCOPES.join('|')} … [--project PROJECT …] [--days DAYS]`,
  `       ${COMMAND} --list`,
  `       ${COMMAND} --rotate NAME_OR_ID [--overlap HOURS]`,
  `       ${COMMAND} --revoke NAME_OR_ID`,
].join('\n');

/** @throws Error with the usage if the arguments are not exactly one command */
export function parseTokenCommand(args: readonly string[]): TokenCommand {
  const values = readOptions(args);
  const given = Object.keys(values).sort().join(' ');
  if (given === 'list') return { type: 'list' };
  const nameOrId = (values.revoke ?? values.rotate)?.trim() ?? '';
  if (given === 'revoke' && nameOrId !== '') return { type: 'revoke', nameOrId };
  const hours = readWhole(values.overlap, 720) ?? DEFAULT_OVERLAP_MINUTES / 60;
  if (['rotate', 'overlap rotate'].includes(given) && nameOrId !== '') {
    return { type: 'rotate', nameOrId, hours };
  }
  const made = newToken.safeParse({
    name: values.name,
    scopes: values.scope?.flatMap((each) => each.split(',')),
    projects: values.project,
    expiresInDays: readWhole(values.days, Number.POSITIVE_INFINITY),
  });
  const isOther = ['list', 'revoke', 'rotate', 'overlap'].some((name) => name in values);
  if (!made.success || isOther) throw new Error(USAGE);
  const { name, scopes, projects = null, expiresInDays: days = null } = made.data;
  return { type: 'create', name, scopes, projects, days };
}

/** @throws Error with the usage for another text than a whole number of at most `most` */
function readWhole(text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text) || Number(text) > most) throw new Error(USAGE);
  return Number(text);
}

/** Actor in the audit log. */
const ACTOR = 'command';

function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        name: { type: 'string' },
        scope: { type: 'string', multiple: true },
        project: { type: 'string', multiple: true },
        days: { type: 'string' },
        list: { type: 'boolean' },
        revoke: { type: 'string' },
        rotate: { type: 'string' },
        overlap: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/**
 * @returns the output for stdout, and a note for stderr
 * @throws Error for an unknown token, or a new name that is taken
 */
export async function runTokenCommand(sql: postgres.Sql, command: TokenCommand) {
  switch (command.type) {
    case 'create': {
      const { days, name, scopes, projects } = command;
      const expiresAt = days === null ? null : new Date(Date.now() + days * 86_400_000);
      const { secret } = await issueToken(sql, { ...command, expiresAt });
      await recordAudit(sql, { actor: ACTOR, action: 'token_created', detail: describeGrant(command) });
      const where = projects === null ? '' : ` for the project "${projects.join('", "')}"`;
      const ends = days === null ? '' : ` It ends in ${days} days.`;
      return {
        output: secret,
        note: `Token "${name}" of scope ${scopes.join(', ')}${where}.${ends} Shown only once:`,
      };
    }
    case 'list':
      return { output: formatTokens(await listTokens(sql)), note: '' };
    case 'rotate': {
      const { id, name } = chooseToken(await listTokens(sql), command.nameOrId);
      const rotated = await rotateToken(sql, { id, overlapMs: command.hours * 3_600_000 }, ACTOR);
      if (!rotated) throw new Error(`The token "${name}" was revoked meanwhile.`);
      const note = `New secret of "${name}". The former one ends in ${command.hours} hours. Shown only once:`;
      return { output: rotated.secret, note };
    }
    case 'revoke': {
      const token = chooseToken(await listTokens(sql), command.nameOrId);
      await revokeToken(sql, token, ACTOR);
      const note = 'Running servers refuse it within a second.';
      return { output: `Revoked ${token.id} "${token.name}" of scope ${token.scopes.join(', ')}.`, note };
    }
  }
}

function chooseToken(tokens: readonly ListedToken[], nameOrId: string): ListedToken {
  const token =
    tokens.find(({ id }) => String(id) === nameOrId) ?? tokens.find(({ name }) => name === nameOrId);
  if (!token) throw new Error(`No active token has the name or id "${nameOrId}". See: ${COMMAND} --list`);
  return token;
}

const HEADINGS = ['id', 'scope', 'project', 'created', 'expires', 'last used', 'from', 'name'];

/** Columns with times in UTC. The name is last because it may be long. */
function formatTokens(tokens: readonly ListedToken[]): string {
  const minute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`;
  // A name must not send control characters to a terminal.
  const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, '?');
  const rows = tokens.map((token) => [
    String(token.id),
    token.scopes.join(','),
    printable(token.projects?.join(',') ?? 'all'),
    minute(token.createdAt),
    token.expiresAt ? minute(token.expiresAt) : 'never',
    token.lastUsedAt ? minute(token.lastUsedAt) : 'never',
    token.lastUsedFrom ?? '',
    printable(token.name),
  ]);
  const lines = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (line: string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => pad(line).trimEnd()).join('\n');
}

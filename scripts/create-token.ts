/**
 * `npm run token -- --name NAME --scope ingest|read`: makes an access token and prints it, once. It works on
 * the database of the settings (DATABASE_URL), or on the embedded one of the running server.
 */
import { parseArgs } from 'node:util';
import { connect } from '../db/client';
import { findRunningEmbedded } from '../db/embedded/start-embedded';
import { createToken } from '../db/queries/tokens/create-token';
import { TOKEN_SCOPES, type TokenScope } from '../db/queries/tokens/token-scope';
import { readSettings, type ServerSettings } from '../server/settings';
import { projectFolder } from './lib/project-folder';

const USAGE = 'Usage: npm run token -- --name NAME --scope ingest|read';
const MAX_NAME_LENGTH = 200;

class UsageError extends Error {}

async function main(): Promise<void> {
  const { name, scope } = readArguments(process.argv.slice(2));
  const settings = readSettings(projectFolder);
  const sql = connect(findDatabase(settings), 1, { applicationName: 'barograph-token' });
  try {
    const token = await createToken(sql, { name, scope });
    process.stdout.write(`${token}\n`);
    process.stderr.write(
      `Token "${name}" of scope ${scope}. It is shown this once; only its hash is stored.\n`,
    );
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function readArguments(args: string[]): { name: string; scope: TokenScope } {
  const { values } = parse(args);
  const { name, scope } = values;
  if (!name || name.length > MAX_NAME_LENGTH) throw new UsageError('--name says whose token it is.');
  const known = TOKEN_SCOPES.find((candidate) => candidate === scope);
  if (!known) throw new UsageError(`--scope is one of ${TOKEN_SCOPES.join(' and ')}.`);
  return { name, scope: known };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { name: { type: 'string' }, scope: { type: 'string' } } });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function findDatabase(settings: ServerSettings): string {
  if (settings.databaseUrl !== null) return settings.databaseUrl;
  const running = findRunningEmbedded(settings.dataFolder);
  if (running !== null) return running;
  throw new Error(
    `No server runs on ${settings.dataFolder}, and its database lives with it. Start it with: npm start`,
  );
}

main().catch((error: unknown) => {
  const reason =
    error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error);
  process.stderr.write(
    error instanceof UsageError ? `${reason}\n${USAGE}\n` : `No token was made. ${reason}\n`,
  );
  process.exitCode = 1;
});

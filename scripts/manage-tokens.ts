/**
 * Access tokens: `npm run token -- --name NAME --scope SCOPES` creates one and prints it on stdout; `--list`, `--rotate`
 * and `--revoke` manage them. Works with and without a running server.
 */
import { join } from 'node:path';
import { connect } from '../db/client';
import { migrate } from '../db/migrate';
import { projectFolder } from './lib/project-folder';
import { parseTokenCommand, runTokenCommand, USAGE } from './lib/run-token-command';
import { withDatabase } from './lib/with-database';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const command = parseTokenCommand(args);
  await withDatabase({ what: 'The token command' }, async (url) => {
    await migrate(url, join(projectFolder, 'db', 'migrations'));
    const sql = connect(url, 1, { applicationName: 'barograph-token' });
    try {
      const { output, note } = await runTokenCommand(sql, command);
      if (note !== '') process.stderr.write(`${note}\n`);
      process.stdout.write(`${output}\n`);
    } finally {
      await sql.end({ timeout: 5 });
    }
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

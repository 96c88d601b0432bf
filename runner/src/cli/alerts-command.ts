import { alertList } from '../../../core/api/alerts';
import { followAlerts, runWithAlert, TEST_ALERT } from '../alerts/follow-alerts';
import { type Command, type CommandContext, textValue, UsageError } from './command';
import { readOrExplain } from './connection';

export const alertsCommand: Command = {
  name: 'alerts',
  summary: 'run a command of this machine for each alert',
  usage: 'barograph alerts --run COMMAND [OPTIONS]',
  details: `Reads the firing alerts of the server and runs COMMAND in a shell for each new one of a rule with a channel of the
kind "Command on a runner", and again when the alert ends. COMMAND gets the alert as JSON on its input, and these
variables: ALERT_ID, ALERT_CHANGE (fired or resolved), ALERT_RULE, ALERT_TEXT.

COMMAND comes only from this command line, never from the server. After a restart it runs again for alerts that still
fire. Ends with Ctrl-C.`,
  options: {
    run: {
      type: 'string',
      value: 'COMMAND',
      help: 'the command to run, as in \'notify-send "$ALERT_TEXT"\'',
    },
    test: { type: 'boolean', help: 'run COMMAND once with a test alert, and exit' },
    url: { type: 'string', value: 'URL', help: 'server to read (BAROGRAPH_URL)' },
    token: { type: 'string', value: 'TOKEN', help: 'token of scope read (BAROGRAPH_TOKEN)' },
  },
  positionals: { least: 0, most: 0 },
  run: runAlerts,
};

async function runAlerts({ values, signal, out }: CommandContext): Promise<number> {
  const command = textValue(values, 'run');
  if (command === undefined || command.trim() === '')
    throw new UsageError(`Missing --run: ${alertsCommand.usage}`);
  if (values.test === true) {
    const code = await runWithAlert(command, TEST_ALERT, 'test');
    out.line(code === 0 ? 'The command succeeded.' : `The command failed with exit code ${code}.`);
    return code === 0 ? 0 : 1;
  }
  const { url, token, readToken, dataFolder } = readOrExplain(values);
  const bearer = readToken ?? token;
  if (url === null || bearer === null) {
    throw new UsageError(
      `No server or token is known (data folder ${dataFolder}). Give --url and --token with a token of scope read.`,
    );
  }
  out.line(`Following the alerts of ${url}. Stop with Ctrl-C.`);
  await followAlerts({
    async read() {
      const response = await fetch(new URL('/api/v1/alerts?phase=open&limit=1000', url), {
        headers: { authorization: `Bearer ${bearer}` },
        signal: AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)]),
        redirect: 'error',
      });
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      return alertList.parse(await response.json()).alerts;
    },
    run: async (alert, change) => {
      const code = await runWithAlert(command, alert, change);
      if (code !== 0) out.problem(`The command failed with exit code ${code} for ${alert.rule.name}.`);
    },
    problem: (error) => out.problem(`The alerts could not be read: ${error.message}. Trying again.`),
    signal,
  });
  return 130;
}

const READ_TIMEOUT_MS = 10_000;

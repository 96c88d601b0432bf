/**
 * Passes the messages of operators (`say`) from `barograph watch` to the hooks of Claude Code, and reports their results.
 * Owns the messages that wait for a hook. After a restart the server sends open commands again, and a message that was
 * delivered meanwhile is only reported.
 */
import { ownIdOf } from '../../../core/agents/registry';
import type { BarographClient, RunnerCommand } from '../client/client-types';
import { hasTextHook } from '../connect/client-commands';
import { readSettingsFile } from '../connect/settings-files';
import { messageOf } from '../guard';
import { messageResult, removeOldMessages, spoolMessage } from './message-spool';
import { readChoices, SAY } from './recall-settings';

/** Only this client runs hooks without further consent and gives their text to the agent. */
const CLIENT = 'claude-code';
const LOOK_MS = 500;
const FRESH_MS = 5_000;
const REFUSED = 'messages are off in the folder of this session; `barograph recall say on` allows them';

interface Waiting {
  client: BarographClient;
  session: string;
  command: RunnerCommand;
}

interface PassOptions {
  configFolder: string;
  /** Settings file of Claude Code; null: it is not on this machine. */
  settingsFile: string | null;
  now(): number;
  lookMs?: number;
}

export class MessagePasser {
  readonly #waiting = new Map<string, Waiting>();
  readonly #options: PassOptions;
  readonly #timer: NodeJS.Timeout;
  #known = { at: Number.NEGATIVE_INFINITY, commands: [] as 'say'[] };

  constructor(options: PassOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), options.lookMs ?? LOOK_MS);
    this.#timer.unref();
    try {
      removeOldMessages(options.configFolder, options.now());
    } catch {
      // The next start tries again.
    }
  }

  /** `say` for Claude Code, if its hook is installed and a folder allows messages. */
  readonly commandsOf = (runner: string): readonly 'say'[] => {
    if (runner !== CLIENT) return [];
    const at = performance.now();
    if (at - this.#known.at > FRESH_MS) this.#known = { at, commands: this.#canSay() ? ['say'] : [] };
    return this.#known.commands;
  };

  readonly take = (client: BarographClient, session: string, command: RunnerCommand): void => {
    const { id, text = '', expiresAt, action } = command;
    const { configFolder } = this.#options;
    try {
      const isSpooled =
        action === 'say' && spoolMessage(configFolder, ownId(session), { id, text, expiresAt });
      if (isSpooled) this.#waiting.set(id, { client, session, command });
      else report({ client, session, command }, 'refused', 'this session accepts no messages');
    } catch (error) {
      report({ client, session, command }, 'refused', messageOf(error));
    }
    this.look();
  };

  /** Report the messages that hooks have taken since. */
  look(): void {
    for (const [id, waiting] of this.#waiting) {
      const result = messageResult(this.#options.configFolder, ownId(waiting.session), id);
      const isOver = result === null && waiting.command.expiresAt <= this.#options.now();
      if (result !== null) report(waiting, result, result === 'refused' ? REFUSED : undefined);
      if (result !== null || isOver) this.#waiting.delete(id);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.look();
  }

  #canSay(): boolean {
    const { configFolder, settingsFile } = this.#options;
    try {
      const settings = settingsFile === null ? null : readSettingsFile(settingsFile);
      return (
        hasTextHook(settings, 'warn-hook') && Object.values(readChoices(SAY, configFolder)).includes('on')
      );
    } catch {
      return false;
    }
  }
}

const ownId = (session: string) => ownIdOf(session)?.id ?? session;

function report({ client, session, command }: Waiting, state: 'done' | 'refused', reason?: string): void {
  const { id, action } = command;
  client.session(session).command({ command: id, action, state, ...(reason !== undefined && { reason }) });
}

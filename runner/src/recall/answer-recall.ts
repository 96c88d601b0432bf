/** The programs of the hooks that give an agent text of Barograph. Where they are off, they load almost nothing. */
import type { Readable } from 'node:stream';
import { asFields, asText } from '../../../core/agents/fields';
import { readHookJson } from '../hook/read-hook-json';
import { readConfigFolder } from '../settings';
import { hasMessages, takeMessages } from './message-spool';
import { choiceFor, type FolderSetting, RECALL, SAY, WARNING } from './recall-settings';

/** The answer after a compaction; null: none. @throws what the file system throws */
export async function answerRecall(stream: Readable, now: number): Promise<object | null> {
  const { value, choice, configFolder } = await readRequest(stream, RECALL);
  if (choice === 'off') return null;
  const { answerRecallEvent } = await import('./answer-event');
  return answerRecallEvent({ value, choice, configFolder, now });
}

/**
 * The answer to a prompt or a tool's result: messages of operators, and a warning; null: none.
 * @throws what the file system throws
 */
export async function answerWarning(stream: Readable, now: number): Promise<object | null> {
  const { value, folder, choice, configFolder } = await readRequest(stream, WARNING);
  const texts = messagesFor(value, folder, configFolder, now);
  if (choice !== 'off') {
    const { warnAgent } = await import('./warn-agent');
    // An unreadable transcript must not lose a message that was already taken.
    const warning = await warnAgent(value, choice, configFolder, now).catch((error) => {
      if (texts.length === 0) throw error;
      return null;
    });
    if (warning !== null) texts.push(warning);
  }
  if (texts.length === 0) return null;
  const hookEventName = asText(asFields(value)?.hook_event_name);
  return { hookSpecificOutput: { hookEventName, additionalContext: texts.join('\n\n') } };
}

function messagesFor(value: unknown, folder: string, configFolder: string, now: number): string[] {
  const { session_id: session, agent_id: agent } = asFields(value) ?? {};
  // A sub-agent has another context.
  if (agent != null || !hasMessages(configFolder, session)) return [];
  const isAllowed = choiceFor(SAY, configFolder, folder) === 'on';
  const messages = takeMessages(configFolder, String(session), { isAllowed, now });
  return messages.map((text) => `Message of the operator, sent with Barograph: ${text}`);
}

/** The hook's JSON, and the choice for its folder. Input that is not JSON is `off`. */
async function readRequest<Value>(stream: Readable, setting: FolderSetting<Value>) {
  const json = await readHookJson(stream);
  const configFolder = readConfigFolder();
  if (!json.ok) return { value: null, folder: '.', choice: 'off' as const, configFolder };
  const folder = asText(asFields(json.value)?.cwd) ?? '.';
  return { value: json.value, folder, choice: choiceFor(setting, configFolder, folder), configFolder };
}

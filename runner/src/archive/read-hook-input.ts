/**
 * The input of a client's hook. Another program creates this object: a field may be missing, invalid, or throw when
 * read.
 */
import { CLIENTS } from '../../../core/agents/clients';

export interface HookInput {
  event: string | null;
  /** `unknown` if it is missing. */
  sessionId: string;
  transcriptPath: string | null;
  /** `auto`, `manual`, another word of the client, or `unknown`. */
  trigger: string;
  /** Why the session starts (`source`) or ends (`reason`). */
  cause: string | null;
  cwd: string | null;
  /** Present only inside a sub-agent. */
  agentId: string | null;
}

/** The events that `barograph hook` reports. */
export const HOOK_EVENTS: readonly string[] = ['PreCompact', 'PostCompact', 'SessionStart', 'SessionEnd'];

/** The event at which `barograph hook` archives the file of the sub-agent that ended. It ignores all other events. */
export const AGENT_END = 'SubagentStop';

const MAX_ID_LENGTH = 400;
const MAX_WORD_LENGTH = 40;

/** Never throws. */
export function readHookInput(input: unknown): HookInput {
  const trigger = (textOf(input, 'trigger') ?? 'unknown').slice(0, MAX_WORD_LENGTH);
  return {
    event: eventOf(textOf(input, 'hook_event_name'), trigger),
    sessionId: (textOf(input, 'session_id') ?? 'unknown').slice(0, MAX_ID_LENGTH),
    transcriptPath: textOf(input, 'transcript_path'),
    trigger,
    cause: (textOf(input, 'source') ?? textOf(input, 'reason'))?.slice(0, MAX_WORD_LENGTH) ?? null,
    cwd: textOf(input, 'cwd'),
    agentId: textOf(input, 'agent_id')?.slice(0, MAX_ID_LENGTH) ?? null,
  };
}

/** Barograph's name of a client's event. An event without such a name keeps its own name, and the hook ignores it. */
function eventOf(name: string | null, trigger: string): string | null {
  const own = CLIENTS.flatMap(({ hookEvents = {} }) => Object.entries(hookEvents)).find(
    ([each]) => each === name,
  );
  return own?.[1].triggers.includes(trigger) ? own[1].event : name;
}

/** Null for a trigger that the server does not know. */
export function knownTrigger(trigger: string): 'auto' | 'manual' | null {
  return trigger === 'auto' || trigger === 'manual' ? trigger : null;
}

function textOf(input: unknown, name: string): string | null {
  if ((typeof input !== 'object' && typeof input !== 'function') || input === null) return null;
  try {
    const value = (input as Record<string, unknown>)[name];
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  } catch {
    return null;
  }
}

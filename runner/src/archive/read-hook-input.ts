/**
 * Reads what a client gives its hook. It is another program's object: any field may be missing, of another kind,
 * or throw when it is read.
 */
export interface HookInput {
  /** `hook_event_name`; null where it is missing. */
  event: string | null;
  /** `session_id`; `unknown` where it is missing. */
  sessionId: string;
  /** `transcript_path`; null where it is missing or empty. */
  transcriptPath: string | null;
  /** `trigger`: `auto` or `manual`; `unknown` where it is missing. */
  trigger: string;
  /** `cwd`; null where it is missing or empty. */
  cwd: string | null;
  /** `agent_id`, inside a sub-agent alone; null elsewhere. */
  agentId: string | null;
}

const MAX_ID_LENGTH = 400;
const MAX_WORD_LENGTH = 40;

/** Never throws, whatever `input` is. */
export function readHookInput(input: unknown): HookInput {
  return {
    event: textOf(input, 'hook_event_name'),
    sessionId: (textOf(input, 'session_id') ?? 'unknown').slice(0, MAX_ID_LENGTH),
    transcriptPath: textOf(input, 'transcript_path'),
    trigger: (textOf(input, 'trigger') ?? 'unknown').slice(0, MAX_WORD_LENGTH),
    cwd: textOf(input, 'cwd'),
    agentId: textOf(input, 'agent_id')?.slice(0, MAX_ID_LENGTH) ?? null,
  };
}

/** The two triggers a server knows; null for anything else. */
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
    // A getter that throws, a proxy that was revoked: as if the field were missing.
    return null;
  }
}

import * as z from 'zod';
import { COMMAND_ACTIONS } from '../protocol/commands';
import { strict, text } from './parameters';

/** `expired`: the runner did not report a result in time. */
const COMMAND_STATES = ['sent', 'received', 'done', 'refused', 'expired'] as const;

export const command = z.object({
  id: z.uuid(),
  sessionId: z.uuid(),
  action: z.enum(COMMAND_ACTIONS),
  /** Message for the agent. */
  text: z.string().nullable(),
  reason: z.string().nullable(),
  /** Name of the token, or `browser`. */
  actor: z.string(),
  state: z.enum(COMMAND_STATES),
  /** Why the runner refused the command. */
  refusal: z.string().nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
});
export type Command = z.infer<typeof command>;

export const commandList = z.object({
  sessionId: z.uuid(),
  /** Whether this server sends commands (`BAROGRAPH_COMMANDS`). */
  enabled: z.boolean(),
  /** What the session's runners carry out. */
  actions: z.array(z.enum(COMMAND_ACTIONS)),
  /** The newest 100, newest first. */
  commands: z.array(command),
});
export type CommandList = z.infer<typeof commandList>;

const MAX_TEXT = 10_000;
const MAX_REASON = 500;
const MAX_MINUTES = 24 * 60;
const minutesReason = `must be a whole number from 1 to ${MAX_MINUTES}`;

export const newCommand = strict({
  /** Chosen by the sender, so that a repeated request sends nothing new; default: a new id. */
  id: z.uuid().optional(),
  action: z.enum(COMMAND_ACTIONS),
  /** Required for `say`, and only for it. */
  text: text(MAX_TEXT).trim().min(1, 'must not be empty').optional(),
  reason: text(MAX_REASON).trim().optional(),
  /** Minutes until the command expires; default 10. */
  expiresInMinutes: z.int(minutesReason).min(1, minutesReason).max(MAX_MINUTES, minutesReason).optional(),
})
  .refine(({ action, text: said }) => action !== 'say' || said !== undefined, {
    path: ['text'],
    error: 'is required for the action say',
  })
  .refine(({ action, text: said }) => action === 'say' || said === undefined, {
    path: ['text'],
    error: 'only the action say has a text',
  });
export type NewCommand = z.infer<typeof newCommand>;

import { z } from 'zod';
import type { LiveRequest } from '../../core/live/protocol';

const topic = [
  z.object({ topic: z.enum(['fleet', 'events', 'turns']) }),
  z.object({ topic: z.literal('session'), id: z.uuid() }),
] as const;

const request = z.union([
  z.object({ type: z.literal('subscribe') }).and(z.union(topic)),
  z.object({ type: z.literal('unsubscribe') }).and(z.union(topic)),
  z.object({ type: z.literal('ping'), at: z.number() }),
]);

/** A request from its text; null when it is none. */
export function readRequest(text: string): LiveRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = request.safeParse(value);
  return parsed.success ? parsed.data : null;
}
